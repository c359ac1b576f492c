#include "gui/scenario/yaml_highlighter.hpp"

#include <QRegularExpression>

namespace headway {

YamlHighlighter::YamlHighlighter(QTextDocument* document, const QPalette& palette)
    : QSyntaxHighlighter(document) {
  set_palette(palette);
}

void YamlHighlighter::set_palette(const QPalette& palette) {
  key_.setForeground(palette.color(QPalette::Link));
  comment_.setForeground(palette.color(QPalette::PlaceholderText));
  rehighlight();
}

void YamlHighlighter::highlightBlock(const QString& line) {
  // A comment starts at '#' after a blank or at the line's start; one in quotes is a matter of
  // taste.
  static const QRegularExpression comment(QStringLiteral("(^|\\s)#.*$"));
  static const QRegularExpression key(QStringLiteral("[A-Za-z0-9_-]+(?=:(\\s|$))"));
  const qsizetype end = [&] {
    const QRegularExpressionMatch match = comment.match(line);
    if (!match.hasMatch()) return line.size();
    setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
              comment_);
    return match.capturedStart();
  }();
  for (auto matches = key.globalMatch(line); matches.hasNext();) {
    const QRegularExpressionMatch match = matches.next();
    if (match.capturedStart() >= end) break;
    setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()),
              key_);
  }
}

}  // namespace headway
