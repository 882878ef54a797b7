/* cli/doctor.c - tutti doctor: what the library found on this machine, and what data there is. */
#include "cli.h"

#include <stdio.h>
#include <tutti.h>

int cli_doctor(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "tutti doctor: unknown argument \"%s\"\n", argv[1]);
        return 2;
    }
    printf("tutti %s\n", TT_VERSION);
    fputs(tt_doctor(), stdout);
    fputs(tt_data_doctor(), stdout);
    return tt_done();
}
