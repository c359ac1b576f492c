#include "gui/scenario/scenario_document.hpp"

#include <QFileInfo>
#include <QPlainTextDocumentLayout>
#include <QSaveFile>
#include <QTextCursor>
#include <algorithm>

#include "models/model_error.hpp"
#include "sim/scenario/load.hpp"

namespace headway {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// toPlainText() would turn no-break spaces into spaces.
std::string plain_text(const QTextDocument& document) {
  QString text = document.toRawText();
  text.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
  return text.toStdString();
}

// "FILE:3:7: message" as its parts, where it starts with the file's name.
ScenarioFault fault_from(const std::string& what, const std::string& file) {
  ScenarioFault fault{.message = QString::fromStdString(what)};
  const std::string prefix = file + ":";
  if (!what.starts_with(prefix)) return fault;
  const QString place = QString::fromStdString(what.substr(prefix.size()));
  fault.line = place.section(QLatin1Char(':'), 0, 0).toInt();
  fault.column = place.section(QLatin1Char(':'), 1, 1).toInt();
  if (fault.line > 0) fault.message = place;
  return fault;
}

}  // namespace

ScenarioDocument::ScenarioDocument(QObject* parent)
    : QObject(parent), text_(std::make_unique<QTextDocument>()) {
  text_->setDocumentLayout(new QPlainTextDocumentLayout(text_.get()));
  connect(text_.get(), &QTextDocument::contentsChanged, this, &ScenarioDocument::read);
  connect(text_.get(), &QTextDocument::modificationChanged, this,
          &ScenarioDocument::modified_changed);
}

void ScenarioDocument::open(const QString& path) {
  set_text(read_scenario_file(path.toStdString()), path);
}

void ScenarioDocument::set_text(const std::string& text, const QString& path) {
  byte_order_mark_ = text.starts_with(kByteOrderMark);
  const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const QString read =
      QString::fromStdString(byte_order_mark_ ? text.substr(kByteOrderMark.size()) : text);
  carriage_returns_ =
      lines > 0 && static_cast<std::size_t>(read.count(QStringLiteral("\r\n"))) == lines;
  set_path(path);
  text_->setPlainText(read);
  text_->setModified(false);
}

void ScenarioDocument::save(const QString& path) {
  QByteArray bytes = QByteArray::fromStdString(plain_);
  if (carriage_returns_) bytes.replace("\n", "\r\n");
  if (byte_order_mark_) bytes.prepend(kByteOrderMark.data());
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    throw RunError((path + QStringLiteral(": ") + file.errorString()).toStdString());
  set_path(path);
  text_->setModified(false);
}

void ScenarioDocument::apply(const TextEdit& edit, const QString& merge) {
  // Without what is the same at both ends: cursors in the rest of the text stay where they are.
  const std::string_view old = std::string_view(plain_).substr(edit.begin, edit.end - edit.begin);
  const std::size_t shorter = std::min(old.size(), edit.text.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && old[head] == edit.text[head]) ++head;
  while (tail < shorter - head &&
         old[old.size() - 1 - tail] == edit.text[edit.text.size() - 1 - tail])
    ++tail;
  if (head == old.size() && head == edit.text.size()) return;
  // Whole characters on both sides.
  const auto inside = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  while (head > 0 && (head < old.size() ? inside(old[head]) : false)) --head;
  while (head > 0 && (head < edit.text.size() ? inside(edit.text[head]) : false)) --head;
  while (tail > 0 && inside(old[old.size() - tail])) --tail;

  const auto position = [this](std::size_t byte) {
    return static_cast<int>(QString::fromUtf8(plain_.data(), static_cast<qsizetype>(byte)).size());
  };
  QTextCursor cursor(text_.get());
  const bool joined = !merge.isEmpty() && merge == merge_ && text_->revision() == merge_revision_;
  joined ? cursor.joinPreviousEditBlock() : cursor.beginEditBlock();
  cursor.setPosition(position(edit.begin + head));
  cursor.setPosition(position(edit.end - tail), QTextCursor::KeepAnchor);
  cursor.insertText(QString::fromStdString(edit.text.substr(head, edit.text.size() - tail - head)));
  cursor.endEditBlock();
  merge_ = merge;
  merge_revision_ = text_->revision();
}

QString ScenarioDocument::file_name() const {
  return path_.isEmpty() ? QStringLiteral("untitled.yaml") : QFileInfo(path_).fileName();
}

void ScenarioDocument::set_path(const QString& path) {
  if (path_ == path) return;
  path_ = path;
  if (!plain_.empty()) read();  // relative paths start from another folder
  Q_EMIT path_changed();
}

void ScenarioDocument::read() {
  plain_ = plain_text(*text_);
  const std::string file = path_.isEmpty() ? file_name().toStdString() : path_.toStdString();
  tree_is_current_ = false;
  scenario_.reset();
  fault_.reset();
  try {
    tree_ = parse_document(plain_, file);
    tree_is_current_ = true;
    scenario_ = std::make_shared<const Scenario>(
        parse_scenario(plain_, file, std::filesystem::path(file).parent_path()));
  } catch (const InputError& error) {
    fault_ = fault_from(error.what(), file);
  } catch (const ModelError& error) {
    fault_ = fault_from(error.what(), file);
  }
  Q_EMIT changed();
}

}  // namespace headway
