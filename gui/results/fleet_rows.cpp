#include "gui/results/fleet_rows.hpp"

#include <fmt/format.h>

#include <QCoreApplication>

#include "sim/report/table_sections.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

using Unit = FigureUnit;

QString tr(const char* text) {
  return QCoreApplication::translate("ResultRows", text);
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

QString of_pool(const PoolUse& pool) {
  return tr("pool %1: ").arg(text_of(pool.name));
}

void add_gpu_hours(RowList& rows, const QString& pool, const GpuHours& hours, bool worth_showing) {
  const auto of = [&](ReplicaPhase phase) { return hours.phase[static_cast<int>(phase)]; };
  const std::pair<QString, double> parts[] = {
      {tr("ready"), of(ReplicaPhase::ready)},       {tr("starting"), starting_gpu_hours(hours)},
      {tr("draining"), of(ReplicaPhase::draining)}, {tr("rest of nodes"), hours.rest_of_nodes},
      {tr("of minimum billing"), hours.minimum},    {tr("down"), of(ReplicaPhase::down)}};
  for (const auto& [what, value] : parts) {
    rows.add(pool + what, Unit::gpu_hours, value);
    rows.last().worth_showing = worth_showing && value > 0;
  }
}

void add_replicas(RowList& rows, const PoolUse& pool) {
  const QString of = of_pool(pool);
  const bool moves = comes_and_goes(pool);
  rows.add(of + tr("replicas ready"), Unit::count, pool.ready);
  rows.last().worth_showing = moves;
  if (pool.ready_least != pool.ready_most)
    rows.last().figure.note =
        tr("%1 to %2").arg(text_of(grouped(pool.ready_least)), text_of(grouped(pool.ready_most)));
  rows.add(of + tr("replicas paid for"), Unit::count, pool.existing);
  rows.last().worth_showing = moves;
  rows.add_unless_zero(of + tr("start-ups"), Unit::count, static_cast<double>(pool.start_ups));
  rows.add_unless_zero(of + tr("failures"), Unit::count, static_cast<double>(pool.failures));
  add_gpu_hours(rows, of, pool.gpu_hours, moves);
  const std::optional<double> none;
  rows.add(of + tr("up in the long run"), Unit::share,
           pool.availability.known ? std::optional(pool.availability.share) : none);
  if (pool.availability.known)
    rows.last().figure.note = text_of(availability_text(pool.availability, pool.replicas));
  rows.add(of + tr("up in this run"), Unit::share, pool.availability.known ? pool.up_share : none);
}

}  // namespace

void add_outcome_rows(RowList& rows) {
  const Counts& counts = rows.summary().counts;
  const auto add = [&](const QString& label, std::int64_t count) {
    rows.add_unless_zero(label, Unit::count, static_cast<double>(count));
  };
  add(tr("arrived"), counts.arrived);
  add(tr("completed"), counts.completed);
  for (int outcome = 1; outcome < kOutcomes; ++outcome) {
    if (is_rejection(static_cast<Outcome>(outcome)))
      add(tr("rejected (%1)").arg(QLatin1String(outcome_name(static_cast<Outcome>(outcome)))),
          counts.rejected_by_reason[outcome]);
  }
  add(tr("timed out"), counts.timed_out);
  add(tr("hung up by their clients"), counts.hung_up);
  add(tr("lost with their replicas"), counts.lost);
  add(tr("in flight at the end"), counts.in_flight);
  add(tr("retries"), counts.retries);
  add(tr("escalations"), counts.escalations);
  add(tr("preemptions"), counts.preemptions);
}

void add_pool_rows(RowList& rows) {
  for (const PoolUse& pool : rows.summary().pools) {
    if (!pool.requests || pool.requests->completed == 0) continue;
    const PoolRequests& requests = *pool.requests;
    const QString of = of_pool(pool);
    rows.add(of + tr("answered"), Unit::per_second, requests.achieved_per_second);
    rows.add(of + tr("good requests"), Unit::share,
             rows.summary().slo_given ? requests.good_share : std::nullopt);
    rows.add_latencies(of, requests.ttft, requests.tpot, requests.e2e);
  }
}

void add_replica_rows(RowList& rows) {
  const Summary& summary = rows.summary();
  for (const FrontUse& station : summary.front) {
    const QString of = text_of(station.name) + QStringLiteral(": ");
    rows.add(of + tr("busy"), Unit::share, station.busy);
    rows.add(of + tr("requests in line"), Unit::count, station.queue);
  }
  for (const PoolUse& pool : summary.pools) add_replicas(rows, pool);
  for (int kind = 0; kind < kFaultKinds; ++kind)
    rows.add_unless_zero(QLatin1String(fault_name(static_cast<FaultUnit::Kind>(kind))), Unit::count,
                         static_cast<double>(summary.counts.faults[kind]));
}

}  // namespace headway
