#include "sim/cli/command_line.hpp"

int main(int argc, char** argv) {
  return headway::command_line(argc, argv);
}
