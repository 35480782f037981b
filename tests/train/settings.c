/* Defaults, ranges, settings at odds with each other, and the schedules against their formulas. */
#include "start.h"

static bound error = {"schedule, relative", 1e-14, 0};

static void set(trainer_settings *s, size_t field, double value) {
    memcpy((char *)s + field * sizeof value, &value, sizeof value);
}

static void table(void) {
    trainer_settings s = defaults();
    CHECK(sizeof s == TRAINER_COUNT * sizeof(double), "a setting is one double: %zu", sizeof s);
    CHECK(settings_invalid(&s) == -1, "the defaults: %d", settings_invalid(&s));
    CHECK(s.optimizer == OPTIMIZER_ADAMW && s.learning_rate == 1e-3 && s.beta1 == 0.9 &&
              s.beta2 == 0.999 && s.epsilon == 1e-8 && s.weight_decay == 0 && s.momentum == 0 &&
              s.clip == 0 && s.schedule == SCHEDULE_CONSTANT && s.ignore_index == -100 &&
              s.dropout == 0 && s.seed == 0 && s.label_smoothing == 0 && s.loss == 0,
          "the documented defaults");
    for (size_t i = 0; i < TRAINER_COUNT; i++) {
        config_field f, other;
        settings_describe(&f, i);
        int choices = f.choices[0] ? 1 : 0;
        for (const char *at = f.choices; *at; at++) {
            choices += *at == '|';
        }
        CHECK(f.type == 'i' || f.type == 'c' || f.type == 'f', "type of %s", f.name);
        CHECK((f.type == 'c') == (choices > 0), "choices of %s", f.name);
        CHECK(f.type != 'c' || (f.low == 0 && f.high == choices - 1), "%s: %d choices", f.name,
              choices);
        CHECK(f.low <= f.fallback && f.fallback <= f.high, "fallback of %s", f.name);
        for (size_t k = 0; k < i; k++) {
            settings_describe(&other, k);
            CHECK(strcmp(f.name, other.name) != 0, "%s twice", f.name);
        }
    }
}

/* The numbers of the documentation, each written a second time. */
static void documented(void) {
    static const struct {
        const char *name;
        double fallback, low, high;
    } rows[] = {
        {"optimizer", 0, 0, 2},
        {"learningRate", 1e-3, 0, 1e6},
        {"beta1", 0.9, 0, 0.9999999},
        {"beta2", 0.999, 0, 0.9999999},
        {"epsilon", 1e-8, 0, 1},
        {"weightDecay", 0, 0, 1e6},
        {"momentum", 0, 0, 1},
        {"clip", 0, 0, 1e30},
        {"schedule", 0, 0, 3},
        {"warmup", 0, 0, 1e9},
        {"steps", 0, 0, 1e9},
        {"floor", 0, 0, 1},
        {"loss", 0, 0, 2},
        {"ignoreIndex", -100, -0x1p31, 0x1p31 - 1},
        {"labelSmoothing", 0, 0, 1},
        {"dropout", 0, 0, 0.999},
        {"seed", 0, 0, 0x1p32 - 1},
    };
    CHECK(sizeof rows / sizeof *rows == TRAINER_COUNT, "%d settings", TRAINER_COUNT);
    for (size_t i = 0; i < TRAINER_COUNT; i++) {
        config_field f;
        settings_describe(&f, i);
        CHECK(strcmp(f.name, rows[i].name) == 0 && f.fallback == rows[i].fallback &&
                  f.low == rows[i].low && f.high == rows[i].high,
              "%s: %g in %g..%g", f.name, f.fallback, f.low, f.high);
    }
}

/* Each field past either end, or broken where whole numbers are meant, is the one that is named. */
static void ranges(void) {
    for (size_t i = 0; i < TRAINER_COUNT; i++) {
        config_field f;
        settings_describe(&f, i);
        const double bad[] = {nextafter(f.low, -INFINITY),
                              nextafter(f.high, INFINITY),
                              f.low - 1,
                              2 * f.high + 1,
                              NAN,
                              INFINITY,
                              -INFINITY};
        for (int k = 0; k < 7; k++) {
            trainer_settings s = defaults();
            set(&s, i, bad[k]);
            CHECK(settings_invalid(&s) == (int)i, "%s = %g: got %d", f.name, bad[k],
                  settings_invalid(&s));
        }
        for (int end = 0; end <= 1; end++) {
            trainer_settings s = defaults();
            s.warmup = s.warmup + 1;
            s.steps = 10;
            set(&s, i, end ? f.high : f.low);
            bool odd = i == TRAINER_warmup && end; /* cosine may come after: not here */
            CHECK(odd || settings_invalid(&s) == -1, "%s at %g: got %d", f.name,
                  end ? f.high : f.low, settings_invalid(&s));
        }
        trainer_settings s = defaults();
        set(&s, i, f.low + 0.5 < f.high ? f.low + 0.5 : (f.low + f.high) / 2);
        CHECK(settings_invalid(&s) == (f.type == 'f' ? -1 : (int)i), "%s = %g: got %d", f.name,
              f.low + 0.5, settings_invalid(&s));
    }
}

static void faults(void) {
    static const struct {
        double schedule, warmup, steps;
        int wanted;
    } cases[] = {
        {SCHEDULE_CONSTANT, 0, 0, -1},
        {SCHEDULE_CONSTANT, 5, 0, -1},
        {SCHEDULE_LINEAR, 0, 0, TRAINER_steps},
        {SCHEDULE_LINEAR, 0, 1, -1},
        {SCHEDULE_LINEAR, 5, 5, TRAINER_steps},
        {SCHEDULE_LINEAR, 5, 6, -1},
        {SCHEDULE_COSINE, 0, 0, TRAINER_steps},
        {SCHEDULE_COSINE, 9, 5, TRAINER_steps},
        {SCHEDULE_COSINE, 9, 10, -1},
        {SCHEDULE_NOAM, 0, 0, TRAINER_warmup},
        {SCHEDULE_NOAM, 1, 0, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trainer_settings s = defaults();
        s.schedule = cases[i].schedule;
        s.warmup = cases[i].warmup;
        s.steps = cases[i].steps;
        CHECK(settings_invalid(&s) == cases[i].wanted, "fault %zu: got %d", i,
              settings_invalid(&s));
        s.beta1 = -1; /* a range comes before what is at odds */
        CHECK(settings_invalid(&s) == TRAINER_beta1, "fault %zu beside a range", i);
    }
}

static double formula(const trainer_settings *s, double t, double d_model) {
    double p = fmin(1, (t - s->warmup) / (s->steps - s->warmup));
    switch ((int)s->schedule) {
    case SCHEDULE_NOAM:
        return s->learning_rate * pow(d_model, -0.5) * fmin(pow(t, -0.5), t * pow(s->warmup, -1.5));
    case SCHEDULE_LINEAR:
        p = 1 - (1 - s->floor) * p;
        break;
    case SCHEDULE_COSINE:
        p = s->floor + (1 - s->floor) * (1 + cos(acos(-1) * p)) / 2;
        break;
    default:
        p = 1;
    }
    return s->learning_rate * (t <= s->warmup ? t / s->warmup : p);
}

static void schedules(void) {
    static const double warmups[] = {0, 1, 2, 7, 400}, ends[] = {1, 2, 50, 401, 1e6};
    static const double floors[] = {0, 0.1, 1};
    for (int i = 0; i < 5 * 5 * 3 * 4; i++) {
        trainer_settings s = defaults();
        s.schedule = i % 4;
        s.warmup = warmups[i / 4 % 5];
        s.steps = ends[i / 20 % 5];
        s.floor = floors[i / 100];
        s.learning_rate = 0.37;
        if (settings_invalid(&s) >= 0) {
            continue;
        }
        size_t warmup = (size_t)s.warmup, end = (size_t)s.steps;
        const size_t steps[] = {1,       2,   3,       warmup,   warmup + 1, warmup + 2,
                                end / 2, end, end + 1, 10 * end, 1000000000};
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            size_t t = steps[k] ? steps[k] : 1;
            double wanted = formula(&s, (double)t, 48);
            CHECK_WITHIN(&error, settings_rate(&s, t, 48), wanted, fmax(wanted, 1e-2 * 0.37),
                         "schedule %g warmup %g steps %g floor %g at %zu", s.schedule, s.warmup,
                         s.steps, s.floor, t);
        }
        if (s.schedule == SCHEDULE_LINEAR || s.schedule == SCHEDULE_COSINE) {
            double last = settings_rate(&s, end, 48), far = settings_rate(&s, 2 * end, 48);
            CHECK(fabs(last - s.floor * 0.37) <= 1e-16 && far == last, "the end: %g, %g", last,
                  far);
        }
    }
    trainer_settings s = defaults(); /* the paper's base model: 7e-4 at its peak */
    s.schedule = SCHEDULE_NOAM;
    s.warmup = 4000;
    s.learning_rate = 1;
    double peak = settings_rate(&s, 4000, 512);
    CHECK(fabs(peak - 6.9877e-4) < 1e-8 && settings_rate(&s, 3999, 512) < peak &&
              settings_rate(&s, 4001, 512) < peak,
          "the paper's peak: %g", peak);
}

int main(void) {
    table();
    documented();
    ranges();
    faults();
    schedules();
    return check_done("train/settings", &error, 1);
}
