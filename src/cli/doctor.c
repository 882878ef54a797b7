/* cli/doctor.c - tutti doctor: the machine's capabilities that the library detected, and the data sets present. */
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
    const bool asked = cli_job_doctor();
    fputs(tt_data_doctor(), stdout);
    const int status = tt_done();
    return status || asked ? status : 1;
}
