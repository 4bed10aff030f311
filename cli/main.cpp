// The program `ripdsl`. Everything is in cli/command.cpp and the files of the commands.
#include "cli/command.h"

int main(int argc, char** argv) { return rip::cli::run(argc, argv); }
