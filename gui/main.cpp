#include "gui/window/command_line.hpp"

int main(int argc, char** argv) {
  return headway::desktop_command_line(argc, argv);
}
