// The form and the text: two views of one scenario, either of which changes the other and nothing
// else.
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QSignalSpy>
#include <QTest>
#include <functional>

#include "gui/scenario/form_view.hpp"
#include "gui/scenario/lever_panel.hpp"
#include "gui/scenario/new_scenario.hpp"
#include "gui/scenario/scenario_document.hpp"
#include "gui/scenario/scenario_model.hpp"

namespace headway {
namespace {

QString scenario_file(const char* name) {
  return QStringLiteral(HEADWAY_SOURCE_DIR "/scenarios/") + QLatin1String(name);
}

/// A document with the models on it, all of which Qt's tester watches.
struct Form {
  ScenarioDocument document;
  ScenarioModel model{&document};
  QSortFilterProxyModel filter;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
  QAbstractItemModelTester filter_tester{&filter,
                                         QAbstractItemModelTester::FailureReportingMode::QtTest};

  explicit Form(const char* name = "chatbot.yaml") {
    filter.setSourceModel(&model);
    document.open(scenario_file(name));
  }
  explicit Form(const std::string& text) {
    filter.setSourceModel(&model);
    document.set_text(text, QStringLiteral("test.yaml"));
  }

  /// The row of a path as --set writes it.
  QModelIndex row(const QString& path) const {
    QModelIndex found;
    each([&](const QModelIndex& index) {
      if (model.item(index).set_path() == path) found = index;
    });
    return found;
  }
  void each(const std::function<void(const QModelIndex&)>& visit,
            const QModelIndex& parent = {}) const {
    for (int at = 0; at < model.rowCount(parent); ++at) {
      const QModelIndex index = model.index(at, 0, parent);
      visit(index);
      each(visit, index);
    }
  }
  bool set(const QString& path, const QString& value) {
    return model.setData(row(path).siblingAtColumn(ScenarioModel::kValue), value);
  }
  QString value(const QString& path) const { return model.item(row(path)).value; }
  QString fault() const { return document.fault() ? document.fault()->message : QString(); }
  QString text() const { return QString::fromStdString(document.text()); }
};

QString replaced(QString text, const char* part, const char* other) {
  return text.replace(QLatin1String(part), QLatin1String(other));
}

/// Another value of the same kind.
QString other_value(const FormItem& item) {
  if (item.schema->kind == Schema::Kind::word)
    for (const QString& word : item.choices())
      if (!word.isEmpty() && word != item.value) return word;
  if (item.schema->kind == Schema::Kind::text) return QStringLiteral("other");
  return stepped(*item.schema, item.value, 1);
}

/// The name of a list's item, which is part of its paths.
bool is_name(const FormItem& item) {
  const FormItem* const list = item.parent->parent;
  if (!list) return false;
  const Schema& schema = list->member ? *list->member->schema : *list->schema;
  return schema.name_key == item.name.toStdString();
}

}  // namespace

class FormTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_value_is_patched_in_place() {
    Form form;
    const QString before = form.text();
    QVERIFY(
        form.set(QStringLiteral("workload.chat.arrivals.poisson.rate"), QStringLiteral("40 /s")));
    QCOMPARE(form.text(), replaced(before, "30 /s", "40 /s"));
    QVERIFY(form.document.scenario());
    QCOMPARE(form.document.scenario()->workload[0].arrivals.rate, 40.0);
  }

  void a_default_is_written_down_when_it_is_changed_and_goes_again() {
    Form form;
    const QString before = form.text(), path = QStringLiteral("fleet.main.kv.watermark");
    QCOMPARE(form.value(path), QStringLiteral("0"));
    QVERIFY(form.set(path, QStringLiteral("0.01")));
    QCOMPARE(form.text(),
             replaced(before, "block_tokens: 16}", "block_tokens: 16, watermark: 0.01}"));
    QVERIFY(form.model.reset_to_default(form.row(path)));
    QCOMPARE(form.text(), before);
  }

  void the_parts_on_the_way_to_a_default_are_written_too() {
    Form form("coffee-shop.yaml");
    const QString before = form.text(), path = QStringLiteral("front.latency");
    QVERIFY(form.set(path, QStringLiteral("1 ms")));
    QVERIFY(form.text().contains(QStringLiteral("front: {latency: 1 ms}\n")));
    QVERIFY(form.document.scenario());
    QVERIFY(form.model.reset_to_default(form.row(path)));
    QCOMPARE(form.text(), before);
  }

  void another_member_takes_over_what_it_knows() {
    Form form;
    const QString before = form.text();
    QVERIFY(form.set(QStringLiteral("workload.chat.arrivals"), QStringLiteral("gamma")));
    QCOMPARE(form.text(),
             replaced(before, "{poisson: {rate: 30 /s}}", "{gamma: {rate: 30 /s, cv: 1}}"));
    QVERIFY(form.set(QStringLiteral("workload.chat.input_tokens"), QStringLiteral("fixed")));
    QCOMPARE(form.value(QStringLiteral("workload.chat.input_tokens.max")), QStringLiteral("8192"));
    QVERIFY(form.set(QStringLiteral("router"), QStringLiteral("random")));
    QVERIFY2(form.document.scenario(), qPrintable(form.fault()));
    QCOMPARE(form.document.scenario()->router, RouterKind::random);
  }

  void a_short_form_gives_way_to_the_long_one() {
    const std::string text =
        "headway: 1\nworkload:\n  - class: a\n    arrivals: {closed: {users: 3, think: 2 s}}\n"
        "fleet:\n  - pool: p\n    service: {time: 1 ms}\n    batching: none\nrun: {duration: 1 "
        "min}\n";
    Form form(text);
    QVERIFY2(form.document.scenario(), qPrintable(form.fault()));
    QCOMPARE(form.value(QStringLiteral("fleet.p.service.time.fixed")), QStringLiteral("1 ms"));
    QVERIFY(form.set(QStringLiteral("fleet.p.service.time.fixed"), QStringLiteral("2 ms")));
    QVERIFY(form.text().contains(QStringLiteral("service: {time: 2 ms}")));
    QVERIFY(form.set(QStringLiteral("fleet.p.service.time.max"), QStringLiteral("9 ms")));
    QVERIFY(form.text().contains(QStringLiteral("{time: {fixed: 2 ms, max: 9 ms}}")));
    QVERIFY(form.set(QStringLiteral("workload.a.arrivals.closed.think"),
                     QStringLiteral("exponential")));
    QVERIFY2(form.document.scenario(), qPrintable(form.text()));
  }

  void an_optional_part_starts_with_values_that_are_right() {
    Form form;
    const QStringList parts = {
        QStringLiteral("workload.chat.prefix"), QStringLiteral("workload.chat.session"),
        QStringLiteral("workload.chat.client"), QStringLiteral("workload.chat.request_bytes"),
        QStringLiteral("fleet.main.step_time"), QStringLiteral("fleet.main.price")};
    const QString before = form.text();
    for (const QString& part : parts) {
      const QStringList choices = form.model.item(form.row(part)).choices();
      QVERIFY2(choices.size() > 1, qPrintable(part));
      for (const QString& choice : choices.mid(1)) {
        QVERIFY2(form.set(part, choice), qPrintable(part));
        QVERIFY2(form.document.scenario(), qPrintable(part + QStringLiteral(" ") + choice +
                                                      QStringLiteral(": ") + form.fault()));
      }
      QVERIFY(form.set(part, QString()));
      QCOMPARE(form.text(), before);
    }
  }

  void every_law_and_every_arrival_process_can_be_chosen() {
    for (const char* path :
         {"workload.chat.arrivals", "workload.chat.input_tokens", "workload.chat.output_tokens"}) {
      Form form;
      const QString row = QLatin1String(path);
      for (const QString& choice : form.model.item(form.row(row)).choices()) {
        if (choice.isEmpty() || choice == QStringLiteral("trace")) continue;
        QVERIFY2(form.set(row, choice), qPrintable(row + choice));
        QVERIFY2(form.document.scenario(),
                 qPrintable(choice + QStringLiteral(": ") + form.fault()));
        QCOMPARE(form.value(row), choice);
      }
    }
  }

  void items_are_copied_under_a_name_of_their_own_and_removed() {
    Form form;
    const QString before = form.text();
    const QModelIndex pool = form.row(QStringLiteral("fleet.main"));
    QVERIFY(form.model.can_duplicate(pool) && !form.model.can_remove(pool));
    QVERIFY(form.model.duplicate(pool));
    QCOMPARE(form.value(QStringLiteral("fleet.main-2.replicas")), QStringLiteral("2"));
    QVERIFY2(form.document.scenario(), qPrintable(form.fault()));
    QVERIFY(form.model.remove(form.row(QStringLiteral("fleet.main-2"))));
    QCOMPARE(form.text(), before);
  }

  void a_wrong_value_is_told_at_its_row_and_can_be_undone() {
    Form form;
    const QString path = QStringLiteral("fleet.main.gpu"), before = form.text();
    QVERIFY(form.set(path, QStringLiteral("h1000")));
    QVERIFY(!form.document.scenario());
    const QString fault = form.model.data(form.row(path), ScenarioModel::kFaultRole).toString();
    QVERIFY2(fault.contains(QStringLiteral("h1000")), qPrintable(fault));
    int faults = 0;
    form.each([&](const QModelIndex& index) {
      faults += form.model.data(index, ScenarioModel::kFaultRole).toString().isEmpty() ? 0 : 1;
    });
    QCOMPARE(faults, 1);
    form.document.text_document()->undo();
    QCOMPARE(form.text(), before);
    QVERIFY(form.document.scenario());
    QVERIFY(form.model.data(form.row(path), ScenarioModel::kFaultRole).toString().isEmpty());
  }

  void a_value_that_would_break_the_text_is_refused() {
    Form form;
    const QString before = form.text();
    QSignalSpy refused(&form.model, &ScenarioModel::refused);
    QVERIFY(!form.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("2, x: {")));
    QCOMPARE(refused.size(), 1);
    QCOMPARE(form.text(), before);
  }

  void the_form_keeps_its_last_rows_while_the_text_is_no_yaml() {
    Form form;
    QTextCursor cursor(form.document.text_document());
    cursor.insertText(QStringLiteral("{"));
    QVERIFY(form.document.fault().has_value());
    QCOMPARE(form.value(QStringLiteral("fleet.main.replicas")), QStringLiteral("2"));
    QSignalSpy refused(&form.model, &ScenarioModel::refused);
    QVERIFY(!form.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("3")));
    QCOMPARE(refused.size(), 1);
    form.document.text_document()->undo();
    QVERIFY(form.set(QStringLiteral("fleet.main.replicas"), QStringLiteral("3")));
  }

  void typing_in_the_text_changes_the_form() {
    Form form;
    const QPersistentModelIndex kept = form.row(QStringLiteral("fleet.main.replicas"));
    QTextCursor cursor = form.document.text_document()->find(QStringLiteral("replicas: 2"));
    cursor.insertText(QStringLiteral("max_queue: 5\n    replicas: 12"));
    QVERIFY(kept.isValid());
    QCOMPARE(form.model.item(kept).value, QStringLiteral("12"));
    QCOMPARE(form.value(QStringLiteral("fleet.main.max_queue")), QStringLiteral("5"));
  }

  void form_and_text_keep_comments_and_order_on_every_ready_scenario() {
    const QDir folder(QStringLiteral(HEADWAY_SOURCE_DIR "/scenarios"));
    const QStringList files = folder.entryList({QStringLiteral("*.yaml")});
    QVERIFY(files.size() >= 10);
    for (const QString& file : files) {
      Form form(qPrintable(file));
      const QString before = form.text();
      QList<QPersistentModelIndex> rows;
      form.each([&](const QModelIndex& index) {
        if (form.model.item(index).is_leaf() && form.model.item(index).set)
          rows.append(index.siblingAtColumn(ScenarioModel::kValue));
      });
      QVERIFY(rows.size() > 10);
      for (const QPersistentModelIndex& row : rows.first(std::min<qsizetype>(rows.size(), 60))) {
        const FormItem& item = form.model.item(row);
        const QString old = item.value, path = item.set_path();
        const bool given = item.given;
        // A value set to itself changes no byte; changed and changed back, neither.
        if (given) QVERIFY(form.model.setData(row, old));
        QCOMPARE(form.text(), before);
        const QString other = other_value(item);
        if (other == old || is_name(item)) continue;
        QVERIFY2(form.model.setData(row, other), qPrintable(file + path));
        QVERIFY2(form.text() != before, qPrintable(file + path));
        const QModelIndex again = form.row(path);
        QVERIFY2(again.isValid(), qPrintable(file + path));
        if (given)
          QVERIFY(form.model.setData(again.siblingAtColumn(ScenarioModel::kValue), old));
        else if (form.model.item(again).sibling)
          form.document.text_document()->undo();  // the short form of a law became the long one
        else
          QVERIFY2(form.model.reset_to_default(again), qPrintable(file + path));
        QCOMPARE(form.text(), before);
      }
    }
  }

  void a_file_keeps_its_line_ends() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("windows.yaml"));
    QByteArray bytes = "\xEF\xBB\xBF# c\r\nheadway: 1\r\nname: \xC3\xA9t\xC3\xA9\xC2\xA0x\r\n";
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) > 0);
    file.close();
    ScenarioDocument document;
    document.open(path);
    document.save(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), bytes);
  }

  void a_drag_of_a_lever_is_one_step_of_undo() {
    Form form;
    LeverPanel levers(&form.model);
    levers.pin_usual();
    QCOMPARE(levers.count(), 2);
    const QString before = form.text();
    QSlider* const slider = levers.slider(0);
    Q_EMIT slider->sliderPressed();
    for (const int position : {60, 80, 100, 120}) slider->setValue(position);
    QVERIFY(form.text() != before);
    QCOMPARE(levers.box(0)->quantity(),
             form.value(QStringLiteral("workload.chat.arrivals.poisson.rate")));
    form.document.text_document()->undo();
    QCOMPARE(form.text(), before);
    QCOMPARE(levers.box(0)->quantity(), QStringLiteral("30 /s"));
    levers.box(1)->stepUp();
    QCOMPARE(form.value(QStringLiteral("fleet.main.replicas")), QStringLiteral("3"));
  }

  void a_new_scenario_is_valid() {
    Form form(new_scenario());
    QVERIFY2(form.document.scenario(), qPrintable(form.fault()));
    QVERIFY(form.document.scenario()->warnings.empty());
  }

  void values_are_edited_by_the_keyboard_alone() {
    Form form;
    FormView view(&form.model);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const auto go_to = [&](const char* path) {
      const QModelIndex index = form.row(QLatin1String(path));
      view.tree()->setCurrentIndex(view.filter()->mapFromSource(index));
      QCOMPARE(view.current().row(), index.row());
      QTest::keyClick(view.tree(), Qt::Key_F2);
    };
    const auto editor = [&] {
      return view.tree()->viewport()->findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
    };

    go_to("fleet.main.replicas");  // a spin box: up once, then by hand
    auto* const box = qobject_cast<QuantityBox*>(editor());
    QVERIFY(box);
    QTest::keyClick(box, Qt::Key_Up);
    QCOMPARE(box->quantity(), QStringLiteral("3"));
    QTest::keyClicks(box, QStringLiteral("5"));
    QTest::keyClick(box, Qt::Key_Return);
    QTRY_COMPARE(form.value(QStringLiteral("fleet.main.replicas")), QStringLiteral("5"));

    go_to("fleet.main.order");  // a choice
    auto* const choice = qobject_cast<QComboBox*>(editor());
    QVERIFY(choice);
    QTest::keyClick(choice, Qt::Key_Down);
    QTest::keyClick(choice, Qt::Key_Return);
    QTRY_COMPARE(form.value(QStringLiteral("fleet.main.order")), QStringLiteral("priority"));

    go_to("workload.chat.input_tokens.lognormal.p95");  // Escape changes nothing
    const QString before = form.text();
    QTest::keyClicks(editor(), QStringLiteral("9"));
    QTest::keyClick(editor(), Qt::Key_Escape);
    QCOMPARE(form.text(), before);

    view.tree()->setCurrentIndex(view.filter()->mapFromSource(
        form.row(QStringLiteral("fleet.main.kv.prefix_caching")).siblingAtColumn(1)));
    QTest::keyClick(view.tree(), Qt::Key_Space);  // true or false
    QTRY_COMPARE(form.value(QStringLiteral("fleet.main.kv.prefix_caching")),
                 QStringLiteral("false"));
  }

  void a_lever_whose_value_is_gone_goes() {
    Form form;
    LeverPanel levers(&form.model);
    levers.pin_usual();
    QVERIFY(form.set(QStringLiteral("workload.chat.arrivals"), QStringLiteral("closed")));
    QCOMPARE(levers.count(), 1);
    form.document.set_text("headway: 1\n", QStringLiteral("x.yaml"));
    QCOMPARE(levers.count(), 0);
  }

  void a_lever_reaches_from_a_quarter_to_four_times_the_value_within_its_range() {
    Form form;
    const auto range = [&](const char* path) {
      const FormItem& item = form.model.item(form.row(QLatin1String(path)));
      return *LeverRange::around(*item.schema, item.value);
    };
    QCOMPARE(range("workload.chat.arrivals.poisson.rate").low_text(), QStringLiteral("7.5 /s"));
    QCOMPARE(range("workload.chat.arrivals.poisson.rate").high_text(), QStringLiteral("120 /s"));
    QCOMPARE(range("fleet.main.replicas").low_text(), QStringLiteral("1"));
    QCOMPARE(range("fleet.main.replicas").high_text(), QStringLiteral("9"));
    QCOMPARE(range("fleet.main.kv.gpu_memory_utilization").high_text(), QStringLiteral("1"));
    QCOMPARE(range("workload.chat.slo.percentile").high_text(), QStringLiteral("100"));
  }

  void steps_keep_the_unit_and_the_range() {
    Form form;
    const Schema& rate =
        *form.model.item(form.row(QStringLiteral("workload.chat.arrivals.poisson.rate"))).schema;
    QCOMPARE(stepped(rate, QStringLiteral("30 /s"), 1), QStringLiteral("31 /s"));
    QCOMPARE(stepped(rate, QStringLiteral("1.5 /min"), -1), QStringLiteral("1.4 /min"));
    QCOMPARE(stepped(rate, QStringLiteral("many"), 1), QStringLiteral("many"));
    const Schema& replicas =
        *form.model.item(form.row(QStringLiteral("fleet.main.replicas"))).schema;
    QCOMPARE(stepped(replicas, QStringLiteral("1"), -1), QStringLiteral("1"));
    QCOMPARE(stepped(replicas, QStringLiteral("99999"), 5), QStringLiteral("100000"));
  }
};

}  // namespace headway

QTEST_MAIN(headway::FormTest)
#include "form_test.moc"
