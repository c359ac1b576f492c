#include "gui/window/recent_files.hpp"

#include <QFileInfo>
#include <QSettings>

namespace headway {

namespace {

constexpr qsizetype kMost = 10;

QString settings_key() {
  return QStringLiteral("recent_files");
}

}  // namespace

QStringList recent_files() {
  QStringList files = QSettings().value(settings_key()).toStringList();
  files.removeIf([](const QString& path) { return !QFileInfo(path).isFile(); });
  return files.first(std::min(kMost, files.size()));
}

void add_recent_file(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList files = recent_files();
  files.removeAll(absolute);
  files.prepend(absolute);
  QSettings().setValue(settings_key(), files.first(std::min(kMost, files.size())));
}

void forget_recent_files() {
  QSettings().remove(settings_key());
}

}  // namespace headway
