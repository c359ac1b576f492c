// Keys and comments of a scenario in colours of the palette.
#pragma once

#include <QPalette>
#include <QSyntaxHighlighter>

namespace headway {

class YamlHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  YamlHighlighter(QTextDocument* document, const QPalette& palette);

  /// For a change between light and dark.
  void set_palette(const QPalette& palette);

 protected:
  void highlightBlock(const QString& line) override;

 private:
  QTextCharFormat key_, comment_;
};

}  // namespace headway
