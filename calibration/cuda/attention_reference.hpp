// Attention of one query, plainly: what the kernels are compared with.
#pragma once

#include <vector>

namespace headway {

/// softmax(query · keysᵀ / sqrt(head_dim)) · values in double, head_dim numbers; keys and values
/// row by row, one key or more.
std::vector<double> attention_reference(const std::vector<float>& query,
                                        const std::vector<float>& keys,
                                        const std::vector<float>& values);

}  // namespace headway
