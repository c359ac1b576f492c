#include "gui/scenario/yaml_editor.hpp"

#include <QEvent>
#include <QFontDatabase>
#include <QPainter>
#include <QTextBlock>

namespace headway {

/// The strip of line numbers at the editor's left.
class YamlEditor::LineNumbers : public QWidget {
 public:
  explicit LineNumbers(YamlEditor* editor) : QWidget(editor), editor_(editor) {}

 protected:
  void paintEvent(QPaintEvent* event) override { editor_->paint_line_numbers(event); }

 private:
  YamlEditor* editor_;
};

YamlEditor::YamlEditor(ScenarioDocument* document, QWidget* parent)
    : QPlainTextEdit(parent),
      document_(document),
      highlighter_(new YamlHighlighter(document->text_document(), palette())),
      line_numbers_(new LineNumbers(this)) {
  highlighter_->setParent(this);
  document->text_document()->setDefaultFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setDocument(document->text_document());
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setAccessibleName(tr("Scenario as YAML"));
  setTabChangesFocus(true);
  connect(document, &ScenarioDocument::changed, this, &YamlEditor::show_fault);
  connect(this, &QPlainTextEdit::blockCountChanged, this, &YamlEditor::place_line_numbers);
  connect(this, &QPlainTextEdit::updateRequest, line_numbers_,
          [this](const QRect& area, int moved) {
            moved != 0 ? line_numbers_->scroll(0, moved)
                       : line_numbers_->update(0, area.y(), line_numbers_->width(), area.height());
          });
  place_line_numbers();
  show_fault();
}

void YamlEditor::go_to_fault() {
  if (extraSelections().isEmpty()) return;
  QTextCursor cursor = extraSelections().constFirst().cursor;
  cursor.setPosition(cursor.selectionStart());
  setTextCursor(cursor);
  setFocus();
}

void YamlEditor::show_fault() {
  QList<QTextEdit::ExtraSelection> marks;
  const std::optional<ScenarioFault>& fault = document_->fault();
  const QTextBlock block =
      fault && fault->line > 0 ? document()->findBlockByNumber(fault->line - 1) : QTextBlock();
  if (block.isValid()) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(block);
    // Columns count characters, the cursor UTF-16 units: they differ beyond the basic plane alone.
    mark.cursor.setPosition(block.position() +
                            std::clamp(fault->column - 1, 0, block.length() - 1));
    mark.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    if (!mark.cursor.hasSelection()) mark.cursor.select(QTextCursor::LineUnderCursor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(Qt::red);
    mark.format.setToolTip(fault->message);
    marks.append(mark);
  }
  setExtraSelections(marks);
}

void YamlEditor::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) highlighter_->set_palette(palette());
}

void YamlEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  place_line_numbers();
}

int YamlEditor::line_numbers_width() const {
  const auto digits = std::max<qsizetype>(2, QString::number(blockCount()).size());
  return fontMetrics().horizontalAdvance(QLatin1Char('9')) * static_cast<int>(digits) + 8;
}

void YamlEditor::place_line_numbers() {
  setViewportMargins(line_numbers_width(), 0, 0, 0);
  const QRect inside = contentsRect();
  line_numbers_->setGeometry(inside.left(), inside.top(), line_numbers_width(), inside.height());
}

void YamlEditor::paint_line_numbers(QPaintEvent* event) {
  QPainter painter(line_numbers_);
  painter.fillRect(event->rect(), palette().color(QPalette::Window));
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.setFont(font());
  QTextBlock block = firstVisibleBlock();
  QRectF area = blockBoundingGeometry(block).translated(contentOffset());
  while (block.isValid() && area.top() <= event->rect().bottom()) {
    painter.drawText(0, static_cast<int>(area.top()), line_numbers_->width() - 4,
                     fontMetrics().height(), Qt::AlignRight,
                     QString::number(block.blockNumber() + 1));
    block = block.next();
    area = blockBoundingGeometry(block).translated(contentOffset());
  }
}

}  // namespace headway
