// The kinds of autoscalers by the names that scenarios give them.
#pragma once

#include "sim/scenario/lifecycle.hpp"

namespace headway {

/// The key of an autoscaler's settings: "hpa", "keda", "ray", "predictive".
inline const char* autoscaler_key(Autoscaler::Kind kind) {
  switch (kind) {
    case Autoscaler::Kind::hpa:
      return "hpa";
    case Autoscaler::Kind::keda:
      return "keda";
    case Autoscaler::Kind::ray:
      return "ray";
    case Autoscaler::Kind::predictive:
      return "predictive";
  }
  return "";
}

}  // namespace headway
