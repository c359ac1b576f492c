// Those who share the fleet.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {

SchemaPtr tenants_schema() {
  return list<Tenant>(
      record(
          {field("tenant", &Tenant::name, name_schema(), "Name of the tenant.").needed(),
           field("weight", &Tenant::weight, number(Dimension::count, 0.001, 1000),
                 "Its share where pools have the order fair: tenants that always have requests "
                 "waiting are served tokens in the ratio of their weights.")
               .otherwise("1")
               .from("Goyal et al., Start-time Fair Queueing, ACM SIGCOMM 1996"),
           field("request_rate", &Tenant::requests_per_second,
                 number_above(Dimension::rate, 0, 1e12),
                 "Requests let in at the front; more are rejected, by a token bucket.")
               .otherwise_in_words("no limit")
               .such_as("600 /min"),
           field("token_rate", &Tenant::tokens_per_second, number_above(Dimension::rate, 0, 1e12),
                 "Tokens of the requests let in, input and output together; more are rejected.")
               .otherwise_in_words("no limit")
               .such_as("100000 /min"),
           field("burst", &Tenant::burst_seconds, number(Dimension::time, 0, kLongestSeconds),
                 "What the rates give in this time may come at once: the size of their buckets, "
                 "which are full at the start. A request of more tokens never gets in.")
               .otherwise("60 s")}),
      1, "tenant");
}

}  // namespace headway
