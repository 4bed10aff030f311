// The program `ripdsl`: prints how it is used.
#include <cstdio>

int main() {
  std::fputs("usage: ripdsl COMMAND FILE.rip [OPTION...]\n", stderr);
  return 2;
}
