// The entry of the CUDA backend as a module, which the program loads when a card is asked for: so
// it starts without CUDA's libraries, and runs where they are not.
#include "calibration/cuda/cuda_device.hpp"

/// open_cuda_device() for a caller that has this symbol's name alone; the caller owns the device.
extern "C" headway::MeasuringDevice* headway_open_cuda_device(int index) {
  return headway::open_cuda_device(index).release();
}
