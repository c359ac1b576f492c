// The pools of the fleet: LLM engines and stations with a service-time law.
#include <optional>

#include "models/catalog.hpp"
#include "models/fixed_point.hpp"
#include "models/profile.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// A name of the catalogue, whose entry `load` stores.
template <class Entry>
SchemaPtr catalogue(std::vector<std::string> (*names)(),
                    Entry (*load)(const std::string&, const std::filesystem::path&)) {
  auto schema = std::make_shared<Schema>(*text());
  schema->known = names;
  schema->store_text = [load](const Target& target, const std::string& value,
                              const std::filesystem::path& base) {
    *std::any_cast<Entry*>(target) = load(value, base);
  };
  return schema;
}

/// A name of the catalogue as it is; a path, which ends like one or has a '/', from the scenario's
/// folder and with a '/' in any case.
std::string name_or_path(const std::string& name, const char* ending,
                         const std::filesystem::path& base) {
  if (!name.ends_with(ending) && name.find('/') == std::string::npos) return name;
  const std::filesystem::path path = (base / name).lexically_normal();
  return path.has_parent_path() ? path.string() : "./" + path.string();
}

Architecture load_architecture(const std::string& name, const std::filesystem::path& base) {
  return load_model(name_or_path(name, ".json", base));
}

Engine load_engine_of(const std::string& name, const std::filesystem::path& base) {
  return load_engine(name_or_path(name, ".yaml", base));
}

SchemaPtr number_format(const std::vector<NumberFormat>& formats) {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::word;
  for (const NumberFormat format : formats)
    schema->words.push_back({number_format_name(format), ""});
  schema->store_word = [formats](const Target& target, std::size_t index) {
    if (auto* const* optional = std::any_cast<std::optional<NumberFormat>*>(&target))
      **optional = formats[index];
    else
      *std::any_cast<NumberFormat*>(target) = formats[index];
  };
  return schema;
}

SchemaPtr precision_schema() {
  using enum NumberFormat;
  const SchemaPtr any = number_format({bf16, fp16, fp8, int8, int4, fp4, mxfp4});
  return record(
      {field(
           "weights", &Precision::weights, any,
           "Format of the linear layers' weights; of a quantised config.json, by default its own.")
           .otherwise("bf16"),
       field("activations", &Precision::activations, any, "Format that the matrix units multiply.")
           .otherwise_in_words("the weights' for fp8, int8 and fp4; 16 bits for int4 and mxfp4"),
       field(
           "kv", &Precision::kv, number_format({bf16, fp16, fp8, int8}),
           "Format of keys and values in the cache; of a quantised config.json that names one, by "
           "default its own.")
           .otherwise("bf16")
           .from("vLLM --kv-cache-dtype"),
       field("sparsity", &Precision::sparsity,
             word<Sparsity>(
                 {{"none", Sparsity::none, "every weight is stored and multiplied"},
                  {"2:4", Sparsity::two_of_four,
                   "two of every four weights are zero: half are stored and multiplied, where the "
                   "GPU has matrix units for it"}}),
             "Zeros among the weights of the linear layers; of a config.json with a "
             "sparsity_config, by default its own. Priced by the card, whether or not the engine "
             "has such kernels.")
           .otherwise("none")
           .from("arXiv 2104.08378; compressed-tensors")});
}

SchemaPtr pruning_schema() {
  const SchemaPtr share = number(Dimension::fraction, 0, 0.9);
  return record(
      {field("layers", &Pruning::layers, share,
             "Share of the layers that is taken out, rounded to whole layers.")
           .otherwise("0"),
       field("heads", &Pruning::heads, share,
             "Share of the KV heads that is taken out, rounded to whole ones, with the query heads "
             "that share them.")
           .otherwise("0"),
       field("ffn", &Pruning::ffn, share,
             "Share of the columns of the MLP and of every expert that is taken out, rounded to "
             "multiples of 64.")
           .otherwise("0")});
}

SchemaPtr parallel_schema() {
  const SchemaPtr ways = whole_number(1, 1024);
  return record(
      {field("tensor", &Parallel::tensor, ways, "GPUs that share every layer.")
           .otherwise("1")
           .from("vLLM --tensor-parallel-size"),
       field("pipeline", &Parallel::pipeline, ways,
             "Groups of GPUs that share the layers "
             "out.")
           .otherwise("1")
           .from("vLLM --pipeline-parallel-size"),
       field("expert", &Parallel::expert, ways,
             "GPUs that share out the experts of a mixture: tensor × data of them with whole "
             "experts each, or 1: every expert is sliced over them.")
           .otherwise("1")
           .from("vLLM --enable-expert-parallel"),
       field("data", &Parallel::data, ways,
             "Ranks of a mixture's attention and dense layers, each with sequences, KV cache, "
             "max_num_seqs and max_num_batched_tokens of its own, which share out the experts and "
             "step together (data-parallel attention).")
           .otherwise("1")
           .from("vLLM --data-parallel-size")});
}

SchemaPtr kv_schema() {
  return record(
      {bound<Pool>(
           "gpu_memory_utilization",
           [](Pool& pool) { return &pool.placement.gpu_memory_utilization; },
           number_above(Dimension::fraction, 0, 1),
           "Share of a GPU's memory that the engine may use: of all of it (vLLM), of what is free "
           "before the weights (SGLang), of what weights and the largest step leave "
           "(TensorRT-LLM).")
           .otherwise_in_words("0.9; of SGLang, what its rule reserves for the largest step")
           .from("vLLM --gpu-memory-utilization, SGLang --mem-fraction-static, TensorRT-LLM "
                 "free_gpu_memory_fraction"),
       bound<Pool>(
           "block_tokens", [](Pool& pool) { return &pool.kv.block_tokens; }, whole_number(1, 4096),
           "Tokens in a KV block.")
           .otherwise("16")
           .from("vLLM --block-size"),
       bound<Pool>(
           "watermark", [](Pool& pool) { return &pool.kv.watermark; },
           number(Dimension::fraction, 0, 0.9),
           "Share of the blocks kept free when requests are admitted from the queue.")
           .otherwise("0"),
       bound<Pool>(
           "admission", [](Pool& pool) { return &pool.kv.reserve_all; },
           word<bool>({{"optimistic", false,
                        "blocks are taken as tokens come; when they run out, the last sequence is "
                        "preempted and recomputed"},
                       {"reserve_all", true,
                        "a request waits until its whole length fits; no preemption"}}),
           "When the KV cache admits a request.")
           .otherwise("optimistic"),
       bound<Pool>(
           "prefix_caching", [](Pool& pool) { return &pool.kv.prefix_caching; }, boolean(),
           "Full blocks stay after their request, longest unused first to go, and requests that "
           "begin alike share them. Continuous batching only.")
           .otherwise("true")
           .from("vLLM --enable-prefix-caching"),
       bound<Pool>(
           "on_preemption", [](Pool& pool) { return &pool.kv.on_preemption; },
           word<Kv::OnPreemption>(
               {{"keep", Kv::OnPreemption::keep,
                 "its blocks stay in the prefix cache until they are needed"},
                {"drop", Kv::OnPreemption::drop, "what no other request holds is computed anew"}}),
           "What a preempted request finds again in the prefix cache.")
           .otherwise("keep"),
       bound<Pool>(
           "blocks", [](Pool& pool) { return &pool.kv.blocks; }, whole_number(1, 1e12),
           "KV blocks of a replica, instead of what memory leaves.")
           .otherwise_in_words("what memory leaves")
           .from("vLLM --num-gpu-blocks-override")});
}

/// The path, from the scenario's folder, of a profile that can be read.
std::string load_profile(const std::string& name, const std::filesystem::path& folder) {
  const std::string path = (folder / name).lexically_normal().string();
  read_profile(path);
  return path;
}

SchemaPtr step_time_schema() {
  const SchemaPtr cost = number(Dimension::time, 0, kLargestCoefficientSeconds);
  const auto finish = [](const Target& target, const Node& node, const Document& document) {
    const auto& cost_of = *std::any_cast<LinearStepCost*>(target);
    if (cost_of.base_seconds + cost_of.seconds_per_token <= 0)
      document.fail(node.at, "steps would take no time; expected base or per_token above 0");
  };
  return record(
      {field("base", &LinearStepCost::base_seconds, cost, "Time of every step.").otherwise("0 s"),
       field("per_token", &LinearStepCost::seconds_per_token, cost,
             "Time of each token of the step, prefill and decode.")
           .otherwise("0 s"),
       field("per_context_token", &LinearStepCost::seconds_per_context_token, cost,
             "Time of each key that the decoding sequences read.")
           .otherwise("0 s"),
       field("per_prefill_pair", &LinearStepCost::seconds_per_prefill_pair, cost,
             "Time of each (query, key) pair of the prefills.")
           .otherwise("0 s")},
      finish);
}

SchemaPtr service_schema() {
  auto curve = std::make_shared<Schema>(*list<Service::Point>(
      record({field("size", &Service::Point::size, whole_number(1, 1e6), "Batch size.").needed(),
              field("factor", &Service::Point::factor, number_above(Dimension::count, 0, 1e6),
                    "Time of a batch of this size, as a multiple of `time`.")
                  .needed()}),
      1));
  curve->finish = [](const Target& target, const Node& node, const Document& document) {
    const auto& points = *std::any_cast<std::vector<Service::Point>*>(target);
    for (std::size_t i = 1; i < points.size(); ++i)
      if (points[i].size <= points[i - 1].size)
        document.fail(node.items[i].at, "sizes do not ascend; expected each above the one before");
  };
  return record(
      {field("time", &Service::time, law_schema(LawOf::seconds), "Service time of a batch of one.")
           .needed(),
       field("batch_factor", &Service::batch_factor, curve,
             "Time of larger batches: piecewise linear between the points, level "
             "outside them.")
           .otherwise_in_words("1 at every size"),
       field("servers", &Service::servers, whole_number(1, 1e6),
             "Batches served at the same time, from one queue.")
           .otherwise("1")});
}

std::vector<Field> engine_fields() {
  const auto placed = [](auto member) {
    return [member](Pool& pool) { return &(pool.placement.*member); };
  };
  const std::string needed = "needed, unless step_time, kv.blocks and max_model_len are given";
  return {
      bound<Pool>("model", placed(&Placement::architecture),
                  catalogue<Architecture>(model_names, load_architecture),
                  "The model: a catalogue name, or a path to a Hugging Face config.json.")
          .otherwise_in_words(needed)
          .only(kLlmPools),
      bound<Pool>(
          "gpu", placed(&Placement::gpu),
          catalogue<Gpu>(gpu_names, [](const std::string& name,
                                       const std::filesystem::path&) { return load_gpu(name); }),
          "The GPU: a catalogue name. A service pool needs it for its price alone.")
          .otherwise_in_words(needed),
      bound<Pool>("engine", placed(&Placement::engine),
                  catalogue<Engine>(engine_names, load_engine_of),
                  "The serving engine: a catalogue name, or a path to a file that headway engine "
                  "fit wrote.")
          .otherwise_in_words(needed)
          .only(kLlmPools),
      bound<Pool>(
          "profile", [](Pool& pool) { return &pool.profiles.emplace_back(); },
          catalogue<std::string>([] { return std::vector<std::string>{}; }, load_profile),
          "A profile of measured operator times, made by headway-calibrate: its path.")
          .otherwise_in_words("the catalogue's for the GPU and the engine")
          .only(kLlmPools),
      bound<Pool>("precision", placed(&Placement::precision), precision_schema(), "Number formats.")
          .otherwise("{}")
          .only(kLlmPools),
      bound<Pool>(
          "pruning", [](Pool& pool) { return &pool.pruning; }, pruning_schema(),
          "Structured pruning: serve a model of smaller shapes.")
          .otherwise("{}")
          .such_as("{layers: 25 %, ffn: 10 %}")
          .from("LLM-Pruner, arXiv 2305.11627")
          .only(kLlmPools),
      bound<Pool>(
          "parallel", placed(&Placement::parallel), parallel_schema(),
          "How a replica is split over GPUs; it has tensor × pipeline × data of them, on several "
          "nodes where one is too small and the GPU's entry knows a network: pipeline "
          "stages on different nodes first.")
          .otherwise("{}")
          .only(kLlmPools)};
}

SchemaPtr price_schema() {
  return record(
      {field("usd_per_gpu_hour", &Pool::usd_per_gpu_hour, number(Dimension::count, 0, 1e6),
             "USD per GPU and hour.")
           .otherwise_in_words("the catalogue's price of the GPU"),
       field("node_gpus", &Pool::billed_node_gpus, whole_number(0, 1024),
             "GPUs are sold in whole nodes of so many, which replicas fill in order; 0 = by the "
             "GPU.")
           .otherwise("0"),
       field("minimum", &Pool::minimum_billing_seconds, number(Dimension::time, 0, kLongestSeconds),
             "A GPU, or node, that is taken is paid for at least so long, but not beyond the run's "
             "end; one that failed is not.")
           .otherwise("0 s")});
}

SchemaPtr pool_schema() {
  std::vector<Field> fields = {
      field("pool", &Pool::name, name_schema(), "Name of the pool.").needed()};
  for (Field& each : engine_fields()) fields.push_back(std::move(each));
  std::vector<Field> rest = {
      bound<Pool>(
          "service",
          [](Pool& pool) {
            pool.kind = Pool::Kind::service;
            return &pool.service;
          },
          service_schema(), "A station with a service-time law instead of an LLM engine.")
          .only(kServicePools),
      field("gpus_per_replica", &Pool::gpus_per_replica, whole_number(0, 1024),
            "GPUs billed for a replica.")
          .otherwise("1")
          .only(kServicePools),
      field("replicas", &Pool::replicas, whole_number(1, 100000),
            "Replicas of the pool; with an autoscaler, those at the start.")
          .otherwise_in_words("1; with an autoscaler its min, but 1 at least"),
      bound<Pool>(
          "autoscaler", [](Pool& pool) { return &pool.autoscaler.emplace(); }, autoscaler_schema(),
          "How the number of replicas follows the load.")
          .otherwise_in_words("the number stays"),
      bound<Pool>(
          "cold_start", [](Pool& pool) { return &pool.cold_start.emplace(); }, cold_start_schema(),
          "How long a replica takes from its order to its first answer, phase by phase.")
          .otherwise_in_words("the engine's phases, and the model's weights at 1 GB/s; no time for "
                              "pools without a model"),
      field("deploys", &Pool::deploys, deploys_schema(),
            "New versions: replica after replica is replaced by a fresh one.")
          .otherwise_in_words("none"),
      field("weight", &Pool::weight, number_above(Dimension::count, 0, 1e6),
            "Of each replica, for the router weighted.")
          .otherwise("1"),
      field("batching", &Pool::batching, batching_schema(), "How a replica forms batches.")
          .otherwise_in_words("continuous for LLM pools, none for service pools"),
      field("order", &Pool::order,
            word<QueueOrder>(
                {{"fcfs", QueueOrder::fcfs, "first come, first served"},
                 {"priority", QueueOrder::priority, "lowest class priority first, then fcfs"},
                 {"shortest_first", QueueOrder::shortest_first,
                  "fewest input and output tokens first"},
                 {"fair", QueueOrder::fair,
                  "start-time fair queueing between tenants, by input and output tokens over the "
                  "tenant's weight; fcfs within a tenant"},
                 {"deadline", QueueOrder::deadline,
                  "earliest scheduled arrival plus SLO on TTFT, else on E2E, first; requests "
                  "without either last"}}),
            "Order of the waiting requests.")
          .otherwise("fcfs")
          .from("vLLM --scheduling-policy; fair: Goyal et al., ACM SIGCOMM 1996"),
      field("max_wait", &Pool::max_wait_seconds, number(Dimension::time, 0, kLongestSeconds),
            "Bound on starvation, for the orders priority, shortest_first and fair: a request that "
            "has waited this long at its replica goes before all others, the longest waiting "
            "first. 0 = no bound.")
          .otherwise("0 s"),
      field("max_queue", &Pool::max_queue, whole_number(0, 1e12),
            "Waiting requests that a replica holds; more are rejected. 0 = no limit.")
          .otherwise("0"),
      bound<Pool>(
          "kv", [](Pool& pool) { return &pool; }, kv_schema(), "The KV cache.")
          .otherwise("{}")
          .only(kLlmPools),
      field("max_model_len", &Pool::max_model_len, whole_number(2, 1e9),
            "Input and output tokens of a request at most; longer requests are rejected.")
          .otherwise_in_words("the model's longest context")
          .from("vLLM --max-model-len")
          .only(kLlmPools),
      bound<Pool>(
          "step_time", [](Pool& pool) { return &pool.step_time.emplace(); }, step_time_schema(),
          "Step time as a linear function of the batch, instead of the model's and the GPU's.")
          .otherwise_in_words("from the model, the GPU and the engine")
          .such_as("{base: 5 ms, per_token: 10 us}")
          .only(kLlmPools),
      bound<Pool>(
          "failures", [](Pool& pool) { return &pool.failures.emplace(); }, faults_schema(),
          "How the pool's replicas fail.")
          .otherwise_in_words("they do not")
          .such_as("{gpu: {mtbf: 50000 h, repair: 4 h}}"),
      bound<Pool>(
          "price", [](Pool& pool) { return &pool; }, price_schema(),
          "What a GPU costs, and how it is sold.")
          .otherwise_in_words("the catalogue's price of the GPU")};
  for (Field& each : rest) fields.push_back(std::move(each));
  return record(std::move(fields));
}

}  // namespace

SchemaPtr fleet_schema() {
  return list<Pool>(pool_schema(), 1, "pool");
}

}  // namespace headway
