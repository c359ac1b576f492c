// Public kernel tables into samples: units, shapes and what is refused.
#include "calibration/import/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>

#include "calibration/calibration_error.hpp"
#include "models/catalog.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

const std::string kGemm =
    "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n"
    "VLLM,0.19.0,NVIDIA H100,gemm,vllm_default,fp8,32,6144,4096,0.0125\n";

std::string zipped(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<unsigned>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<unsigned>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

ImportRequest request(const std::string& table) {
  ImportRequest made;
  made.tables = {table};
  made.gpu = "h100";
  return made;
}

// The samples of a table with that text.
std::vector<Sample> samples_of(const std::string& text, const std::string& engine = "") {
  const TemporaryFolder folder;
  ImportRequest asked = request(folder.put("t.csv", text));
  asked.engine = engine;
  return import_tables(asked).samples;
}

std::string refusal(const std::string& text, const std::string& name = "t.csv") {
  const TemporaryFolder folder;
  const std::string path = folder.put(name, text);
  std::string error = error_of<SampleError>([&] { import_tables(request(path)); });
  return error.starts_with(path) ? error.substr(path.size()) : error;
}

TEST(Import, AGemmOfATwelveMicrosecondRow) {
  const TemporaryFolder folder;
  const SampleFile file = import_tables(request(folder.put("t.csv.gz", zipped(kGemm))));
  EXPECT_EQ(file.header.gpu, "h100-sxm-80gb");
  EXPECT_EQ(file.header.device, "NVIDIA H100");
  EXPECT_EQ(file.header.engine, "vllm 0.19.0");
  ASSERT_EQ(file.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(file.samples[0].seconds, 12.5e-6);
  EXPECT_EQ(file.samples[0].point.format, "fp8");
  EXPECT_EQ(file.samples[0].point.m, 32);
  EXPECT_EQ(file.samples[0].point.n, 6144);
  EXPECT_EQ(file.samples[0].point.k, 4096);
}

TEST(Import, ADecodeStepReadsTheCachedKeysAndItsOwn) {
  const std::vector<Sample> samples = samples_of(
      "framework,version,op_name,batch_size,isl,num_heads,num_key_value_heads,head_dim,attn_dtype,"
      "kv_cache_dtype,step,window_size,latency\n"
      "VLLM,0.19.0,generation_attention,32,1,64,8,128,bfloat16,fp8,4095,128,0.02\n"
      "VLLM,0.19.0,context_attention,2,512,64,8,128,bfloat16,bfloat16,0,0,0.04\n");
  EXPECT_EQ(samples[0].point.op, "attention_decode");
  EXPECT_EQ(samples[0].point.context, 4096);
  EXPECT_EQ(samples[0].point.kv, "fp8");
  EXPECT_EQ(samples[0].point.window, 128);
  EXPECT_EQ(samples[1].point.op, "attention_prefill");
  EXPECT_EQ(samples[1].point.chunk, 512);
  EXPECT_EQ(samples[1].point.prefix, 0);
}

TEST(Import, AMessageIsCountedInElementsNotBytes) {
  const std::vector<Sample> samples = samples_of(
      "nccl_dtype,num_gpus,message_size,kernel_source,op_name,version,latency\n"
      "half,8,268435456,NCCL,all_reduce,2.29.2,2.11106\n"
      "int8,8,268435456,NCCL,alltoall,2.29.2,0.75\n",
      "vllm 0.19.0");
  EXPECT_EQ(samples[0].point.bytes, 536'870'912);
  EXPECT_EQ(samples[0].point.variant, "nccl-2.29.2");
  EXPECT_EQ(samples[1].point.op, "all_to_all");
  EXPECT_EQ(samples[1].point.bytes, 268'435'456);
  // A ring sends 2·7/8 of the message over each GPU's links: near the 450 GB/s of eight H100.
  const double bus = 2 * 7.0 / 8 * 536'870'912 / samples[0].seconds;
  EXPECT_GT(bus, 0.9 * 450e9);
  EXPECT_LT(bus, 1.1 * 450e9);
}

TEST(Import, AnExpertIsSplitOverItsTensorGroup) {
  const std::vector<Sample> samples = samples_of(
      "framework,version,op_name,kernel_source,moe_dtype,num_tokens,hidden_size,inter_size,topk,"
      "num_experts,moe_tp_size,moe_ep_size,distribution,latency\n"
      "VLLM,0.19.0,moe,triton,bfloat16,64,4096,14336,2,8,4,1,balanced,1.5\n");
  EXPECT_EQ(samples[0].point.inner, 3584);
  EXPECT_EQ(samples[0].point.variant, "triton/balanced");
  EXPECT_EQ(samples[0].point.expert_parallel, 1);
}

TEST(Import, LayersHaveTheShapesOfTheModelAndItsTensorSize) {
  // Llama-3.1-8B: hidden 4096, 32 heads and 8 KV heads of 128, MLP 14336, vocabulary 128256.
  const TemporaryFolder folder;
  folder.put("bf16/meta.yaml", "vllm_version: 0.19.0\ngpu: NVIDIA GeForce RTX 4090\n");
  folder.put("bf16/tp2/dense.csv",
             "layer,tokens,time_us\nqkv_proj,8,10\no_proj,8,10\ngate_up_proj,8,10\ndown_proj,8,10\n"
             "act_fn,8,3\nlayernorm,8,3\nrotary_emb,8,2\n");
  folder.put("bf16/tp2/per_sequence.csv", "layer,sequences,time_us\nlm_head,4,400\nsampler,4,90\n");
  folder.put("bf16/tp2/attention.csv",
             "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n"
             "0,0,4,512,9\n64,32,0,0,9\n64,32,4,512,9\n");
  ImportRequest asked = request(folder.path("bf16"));
  asked.model.architecture = load_model("llama-3.1-8b");
  const SampleFile file = import_tables(asked);
  EXPECT_EQ(file.header.engine, "vllm 0.19.0");
  std::vector<std::string> seen;
  for (const Sample& sample : file.samples) {
    const OperatorPoint& p = sample.point;
    if (p.op == "gemm") seen.push_back(std::to_string(p.n) + "x" + std::to_string(p.k));
    if (p.op.starts_with("attention")) {
      EXPECT_EQ(p.heads, 16);
      EXPECT_EQ(p.kv_heads, 4);
      seen.push_back(p.op);
    }
    if (p.op == "sampler") {
      EXPECT_EQ(p.width, 128256);
    }
    if (p.op == "rotary") {
      EXPECT_EQ(p.width, 20 * 128);
    }
    if (p.op == "activation") {
      EXPECT_EQ(p.width, 7168);
    }
  }
  EXPECT_THAT(seen, testing::ElementsAre("attention_decode", "attention_prefill", "attention_mixed",
                                         "3072x4096", "4096x2048", "14336x4096", "4096x7168",
                                         "64128x4096"));
  EXPECT_DOUBLE_EQ(file.samples[0].seconds, 9e-6);
}

TEST(Import, DamagedFilesAreToldWithTheirLine) {
  std::string gemms = kGemm;
  for (int row = 0; row < 20'000; ++row)
    gemms += "VLLM,0.19.0,NVIDIA H100,gemm,vllm_default,fp8," + std::to_string(row + 1) +
             ",6144,4096,0.01" + std::to_string(row % 97 + 1) + "\n";
  const std::string whole = zipped(gemms);
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2), "t.csv.gz"),
              HasSubstr("end in mid-stream"));
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
  EXPECT_THAT(refusal(damaged, "t.csv.gz"),
              testing::AnyOf(HasSubstr("damaged"), HasSubstr(":1: ")));
  EXPECT_THAT(refusal(kGemm, "t.csv.gz"), HasSubstr("is not gzip"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
}

TEST(Import, WrongRowsAreToldWithTheirPlace) {
  const std::string head = kGemm.substr(0, kGemm.find('\n') + 1);
  const std::string start = head + "VLLM,0.19.0,NVIDIA H100,gemm,x,";
  EXPECT_THAT(refusal(start + "fp8,-1,2,3,0.1\n"), HasSubstr(":2:36: m is no count (-1)"));
  EXPECT_THAT(refusal(start + "fp8,a,2,3,0.1\n"), HasSubstr("m is no count (a)"));
  EXPECT_THAT(refusal(start + "fp8,0,2,3,0.1\n"), HasSubstr(":2:1: gemm lacks m"));
  EXPECT_THAT(refusal(start + "fp8,1,2,3,-0.1\n"), HasSubstr("latency is no time (-0.1)"));
  EXPECT_THAT(refusal(start + "fp8,1,2,3,nan\n"), HasSubstr("latency is no time (nan)"));
  EXPECT_THAT(refusal(start + "fp9,1,2,3,1\n"), HasSubstr(":2:32: unknown number format (fp9)"));
  EXPECT_THAT(refusal(start + "fp8,1,2,3\n"), HasSubstr(":2:1: a row of 9 fields; expected 10"));
  EXPECT_THAT(refusal("op_name,latncy\n"), HasSubstr("did you mean latency?"));
  EXPECT_THAT(refusal("op_name,latency\ngemmm,1\n"), HasSubstr("unknown op_name (gemmm)"));
  EXPECT_THAT(refusal("op_name,latency\ngemm,1\n"), HasSubstr("lacks the column gemm_dtype"));
  EXPECT_THAT(refusal("a,b\n1,2\n"), HasSubstr("no known kernel table"));
  EXPECT_THAT(refusal("layer,tokens,time_us\nqkv_proj,1,1\n"), HasSubstr("expected --model"));
}

TEST(Import, TablesOfSeveralEngineVersionsWantOneNamed) {
  const TemporaryFolder folder;
  folder.put("a/t.csv", kGemm);
  std::string other = kGemm;
  other.replace(other.find("0.19.0"), 6, "0.24.0");
  folder.put("b/t.csv",
             other + "VLLM,0.24.0,NVIDIA H100,gemm,vllm_default,fp8,64,6144,4096,0.01\n");
  ImportRequest asked = request(folder.path(""));
  EXPECT_THAT(error_of<SampleError>([&] { import_tables(asked); }),
              HasSubstr("2 engine versions (vllm 0.19.0, vllm 0.24.0)"));
  asked.engine = "vllm-0.24";
  EXPECT_EQ(import_tables(asked).samples.size(), 2u);
  asked.engine = "vllm 0.2";
  EXPECT_THAT(error_of<SampleError>([&] { import_tables(asked); }), HasSubstr("no table is of"));
}

TEST(Import, EveryPublicTableIsRead) {
  const char* data = std::getenv("HEADWAY_DATA");
  const std::string folder = std::string(data != nullptr ? data : "") + "/kernels/aiconfigurator";
  if (data == nullptr || !std::filesystem::is_directory(folder))
    GTEST_SKIP() << "HEADWAY_DATA has no kernels/aiconfigurator";
  ImportRequest asked = request(folder + "/a100_sxm");
  asked.engine = "vllm 0.14.0";
  // Rows as INDEX.tsv counts them: attention, NCCL, custom all-reduce, GEMM, MoE.
  EXPECT_EQ(import_tables(asked).samples.size(), 5457u + 5431 + 504 + 138 + 9240 + 6360);
}

}  // namespace
}  // namespace headway
