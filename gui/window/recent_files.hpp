// The scenarios that were opened last, kept from session to session.
#pragma once

#include <QStringList>

namespace headway {

/// Absolute paths of files that are still there, newest first, at most ten.
QStringList recent_files();

/// Puts a file first.
void add_recent_file(const QString& path);

void forget_recent_files();

}  // namespace headway
