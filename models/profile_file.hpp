// A profile's file of which only the families are read that somebody asks for.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/profile.hpp"

namespace headway {

/// Not for several threads at once.
class ProfileFile {
 public:
  /// Reads all but the families: the first lines only, where those name the operators. Throws
  /// CatalogError as read_profile() does.
  explicit ProfileFile(std::string path);
  ~ProfileFile();

  /// The profile without its families.
  const Profile& head() const { return head_; }

  /// The family of an operator; nullptr where the profile has none. Throws CatalogError where it is
  /// not what a family has to be, or the file not what its first lines say.
  const ProfileFamily* find(std::string_view op) const;

 private:
  struct Content;
  Profile read_all() const;

  std::string path_;
  Profile head_;
  std::unique_ptr<Content> content_;
};

}  // namespace headway
