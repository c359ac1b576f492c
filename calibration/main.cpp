#include "calibration/command_line.hpp"

int main(int argc, char** argv) {
  return headway::calibrate_command_line(argc, argv);
}
