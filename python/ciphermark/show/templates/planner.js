"use strict";

/**
 * The page of the planner: choices, figures, drawings, and the link and the command that say the
 * same. Figures are written by figures.js, the arithmetic is in capacity.js, the elements are in
 * planner.html.jinja.
 */

/** @typedef {[string, number][]} Units  Names and sizes, the largest first. */

/** A field that says nothing that can be computed with: its message is the sentence beside it. */
class Fault extends Error {}

const planning = (() => {
  const NONE = "–";
  const { grouped, significant, percent, counted } = figuresWith(NARROW_SPACE);

  /** @type {Units} */
  const RATES = [["Tbit/s", 1e12], ["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3], ["bit/s", 1]];
  /** @type {Units} */
  const PACKETS = [["M packets/s", 1e6], ["k packets/s", 1e3], ["packets/s", 1]];
  /** @type {Units} */
  const SHORT_TIMES = [["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  /** @type {Units} */
  const TIMES = [
    ["years", 365.25 * 86400], ["days", 86400], ["h", 3600], ["min", 60], ["s", 1], ["ms", 1e-3],
    ["µs", 1e-6],
  ];
  const LONGEST_S = 1000 * 365.25 * 86400;

  /** @type {(value: number, units: Units, least?: number) => [string, number]} */
  const unitOf = (value, units, least = 1) =>
    units.find((unit) => value >= least * unit[1]) ?? units[units.length - 1];

  /** @type {(value: number, units: Units, least?: number) => string} */
  function inUnits(value, units, least = 1) {
    const [unit, size] = unitOf(value, units, least);
    return `${significant(value / size)} ${unit}`;
  }

  /** @param {number} value */
  const rate = (value) => inUnits(value, RATES);
  /** @param {number} value */
  const packets = (value) => inUnits(value, PACKETS);
  /** @param {number} value */
  const nanoseconds = (value) => inUnits(value, SHORT_TIMES);
  /** @param {number} value */
  const ratio = (value) => `×${significant(value)}`;

  /** @param {number} seconds */
  function lasting(seconds) {
    if (seconds === Infinity) return "no limit";
    if (seconds === 0) return "nothing";
    return seconds > LONGEST_S ? "> 1000 years" : inUnits(seconds, TIMES, 1.5);
  }

  // Fields as people type them: ciphermark/plan/quantities.py.

  const POWERS = ["", "k", "m", "g", "t"];
  const RATE =
    /^(\d{1,15}(?:\.\d{1,15})?)\s*([kKmMgGtT]?)(i?)(bits?|[bB]ytes?|b|B)?(\/s|ps)?$/;

  /** @param {string} text */
  function readRate(text) {
    const [, number, prefix = "", binary = "", unit = "", per = ""] = RATE.exec(text) ?? [];
    const isBytes = /^B/.test(unit) || unit.startsWith("byte");
    const wrong = (binary && !prefix) || (per && !unit) || (/^(B|Bytes?)$/.test(unit) && !per);
    const power = POWERS.indexOf(prefix.toLowerCase());
    const value = Number(number) * (binary ? 1024 : 1000) ** power * (isBytes ? 8 : 1);
    if (wrong || !(value > 0 && value <= 1e15)) {
      throw new Fault(
        `“${text}” is not a rate: write bits per second such as 1G or 100Mbit/s, or bytes such as 100MB/s`,
      );
    }
    return value;
  }

  /** @type {(least: number, most: number) => (text: string) => number} */
  const readWhole = (least, most) => (text) => {
    const digits = text.replace(/_/g, "");
    const value = /^\d{1,18}$/.test(digits) ? Number(digits) : NaN;
    if (!(value >= least && value <= most)) {
      const example = Math.max(least, Math.min(most, 4));
      throw new Fault(
        `“${text}” is not a number from ${grouped(least)} to ${grouped(most)}: write for example ${example}`,
      );
    }
    return value;
  };

  /** @param {string} text */
  function readPart(text) {
    const [, number, sign] = /^(\d+\.?\d*|\.\d+)\s*(%?)$/.exec(text) ?? [];
    const value = Number(number) / (sign ? 100 : 1);
    if (!(value >= 0 && value < 1)) {
      throw new Fault(`“${text}” is not a share from 0 to below 100 %: write for example 20%`);
    }
    return value;
  }

  /** @param {string} text */
  function readClock(text) {
    const [, number, prefix = ""] = /^(\d{1,6}(?:\.\d{1,9})?)\s*([kMG]?)Hz$/.exec(text) ?? [];
    const value = Number(number) * 1000 ** POWERS.indexOf(prefix.toLowerCase());
    if (!(value >= 1e3 && value <= 1e11)) {
      throw new Fault(`“${text}” is not a clock: write for example 2.4GHz`);
    }
    return value;
  }

  /** @type {Object<string, number>} */
  const MULTIPLES = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

  /** @param {string} text */
  function readMemory(text) {
    const [, number, prefix = ""] = /^(\d{1,20})\s*([kmg]?)(?:i?b)?$/.exec(text.toLowerCase()) ?? [];
    const value = Number(number) * MULTIPLES[prefix];
    if (!(value > 0)) {
      throw new Fault(`“${text}” is not a size of memory: write bytes, or powers of 1024 such as 64K`);
    }
    return value;
  }

  const WITHOUT = "none";

  /** @type {(text: string) => number | "none"} */
  function readPath(text) {
    if (text === WITHOUT) return WITHOUT;
    const [, number, unit] = /^(\d{1,9}(?:\.\d{1,6})?)\s*(ns|us|µs|ms)$/.exec(text) ?? [];
    const value = Number(number) * ({ ns: 1, us: 1e3, µs: 1e3, ms: 1e6 }[unit] ?? NaN);
    if (!(value > 0 && value <= 1e9)) {
      throw new Fault(
        `“${text}” is no time of a packet up to a second: write for example 900ns or 1.2us, or none`,
      );
    }
    return value;
  }

  // Mixes: ciphermark/plan/profiles.py.

  const GENOME = "imix:";
  const MOST_SIZES = 26;
  const MOST_PACKETS = 1e6;
  const LONGEST_PACKET = 65535;

  /**
   * A mix as it is typed, `7x40, 4x576, 1500`, as the genome that a command takes.
   * @param {string} text
   * @param {number} around bytes of a frame that are not of its packet
   */
  function genomeOf(text, around) {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const item of text.split(/[\s,;]+/).filter((part) => part)) {
      const [, count = "1", bytes] = /^(?:(\d{1,6})[x×*])?(\d{1,5})$/.exec(item) ?? [];
      const size = Number(bytes);
      if (!(size >= 1 && size <= LONGEST_PACKET && Number(count) >= 1)) {
        throw new Fault(
          `“${item}” is no part of a mix: write how often and bytes from 1 to 65535, such as 7x40`,
        );
      }
      counts.set(size, (counts.get(size) ?? 0) + Number(count));
    }
    const total = [...counts.values()].reduce((all, count) => all + count, 0);
    if (!counts.size || counts.size > MOST_SIZES || total > MOST_PACKETS) {
      throw new Fault(
        `a mix has 1 to ${MOST_SIZES} sizes and at most 1000000 packets: write for example 7x40, 4x576, 1500`,
      );
    }
    const letters = [...counts].map(([size, count], place) => ({
      letter: String.fromCharCode(65 + place),
      size: size + around,
      count,
    }));
    const sequence = letters.map((it) => `${it.count === 1 ? "" : it.count}${it.letter}`).join("");
    return `${GENOME}${sequence}${letters.map((it) => `:${it.letter}=${it.size}`).join("")}`;
  }

  /**
   * The profile of a genome of RFC 6985.
   * @param {string} text
   * @param {Object<string, any>} constants
   * @returns {Profile}
   */
  function profileOf(text, constants) {
    const [sequence, ...sizes] = text.slice(GENOME.length).split(":").map((part) => part.trim());
    /** @type {Object<string, number>} */
    const frames = { ...constants.frame_bytes };
    for (const size of sizes) {
      const [, letter, bytes] = /^([A-Z])\s*=\s*(\d{1,5})$/.exec(size) ?? [];
      if (!Number(bytes) || letter in frames || !sequence.includes(letter)) {
        throw new Fault(`“${size}” is not the size of one more capital letter: write for example A=58`);
      }
      frames[letter] = Number(bytes);
    }
    /** @type {Map<string, number>} */
    const counts = new Map();
    const genes = [...sequence.matchAll(/(\d{0,6})([a-zA-Z])/g)];
    if (!genes.length || genes.map((gene) => gene[0]).join("") !== sequence) {
      throw new Fault(`“${sequence}” is no sequence of letters: write for example imix:aaaaabbd`);
    }
    for (const [, count, letter] of genes) {
      if (!(letter in frames)) {
        throw new Fault(`${letter} has no size: write it after a colon, :${letter}=1400`);
      }
      counts.set(letter, (counts.get(letter) ?? 0) + Number(count || 1));
    }
    const total = [...counts.values()].reduce((all, count) => all + count, 0);
    if (!(total > 0 && total <= MOST_PACKETS)) {
      throw new Fault(`this mix has ${total} packets: write 1 to 1000000`);
    }
    const parts = [...counts].filter((it) => it[1] > 0).map(([letter, count]) => {
      const bytes = frames[letter] - constants.ethernet_bytes;
      if (bytes < 0) throw new Fault(`${frames[letter]} bytes are no Ethernet frame`);
      return /** @type {[number, number, number]} */ ([bytes, bytes, count]);
    });
    return { name: text, title: text, parts, bursts: null };
  }

  return {
    NONE, WITHOUT, GENOME, RATES, SHORT_TIMES,
    counted, genomeOf, grouped, inUnits, lasting, nanoseconds, packets, percent, profileOf, rate,
    ratio, readClock, readMemory, readPart, readPath, readRate, readWhole, significant, unitOf,
  };
})();

/**
 * Brings the planner of a page to life.
 * @param {PlannerData} data  what answers/capacity/planner.py prepared
 */
function startPlanner(data) {
  const {
    NONE, WITHOUT, GENOME, RATES, SHORT_TIMES,
    counted, genomeOf, grouped, inUnits, lasting, nanoseconds, packets, percent, profileOf, rate,
    ratio, readClock, readMemory, readPart, readPath, readRate, readWhole, significant, unitOf,
  } = planning;
  const { constants } = data;

  /** @typedef {"a" | "b"} Plan */
  /** @type {Plan[]} */
  const PLANS = ["a", "b"];
  /** What stands before the choices in the address. */
  const ADDRESS = "#plan:";
  const ONE_SIZE = "one size";
  const OWN_MIX = "own mix";
  const STEPS = 400;
  /** Until when the address and what is said aloud wait for the end of dragging. */
  const QUIET_MS = 300;

  const section = /** @type {HTMLElement} */ (document.getElementById("planner"));
  section.hidden = false;

  /** @type {<T extends Element>(selector: string) => T} */
  const one = (selector) => /** @type {any} */ (section.querySelector(selector));
  /** @type {<T extends Element>(selector: string) => T[]} */
  const all = (selector) => /** @type {any} */ ([...section.querySelectorAll(selector)]);

  /** @type {(plan: Plan, name: string) => HTMLInputElement | HTMLSelectElement} */
  const field = (plan, name) => one(`#planner-${name}-${plan}`);
  /** @type {(plan: Plan, name: string) => HTMLInputElement | null} */
  const drag = (plan, name) =>
    section.querySelector(`[data-plan="${plan}"] > [data-drags="${name}"]`);
  /** @type {(plan: Plan, name: string) => string} */
  const typed = (plan, name) => field(plan, name).value.trim();
  /** @type {(plan: Plan, name: string) => boolean} */
  const checked = (plan, name) => /** @type {HTMLInputElement} */ (field(plan, name)).checked;

  /** What the address asked for, and this page does not have: by plan and field.
   * @type {Object<string, Object<string, string>>} */
  const lacking = { a: {}, b: {} };

  /** @type {(plan: Plan) => Run} */
  const runOf = (plan) =>
    data.runs.find((run) => run.run === field(plan, "run").value) ?? data.runs[0];

  const shownPlans = () => (section.dataset.plans === "2" ? PLANS : PLANS.slice(0, 1));

  // Choices that depend on the machine.

  /** @type {(label: string, value: string) => HTMLOptionElement} */
  function option(label, value) {
    const element = document.createElement("option");
    element.textContent = label;
    element.value = value;
    return element;
  }

  /** @type {(label: string, items: HTMLOptionElement[]) => HTMLOptGroupElement} */
  function group(label, items) {
    const element = document.createElement("optgroup");
    element.label = label;
    element.append(...items);
    return element;
  }

  /** Fills a list anew and keeps what was chosen, where it still is there.
   * @type {(select: HTMLSelectElement, items: Element[]) => void} */
  function refill(select, items) {
    const before = select.value;
    select.replaceChildren(...items);
    if ([...select.options].some((it) => it.value === before)) select.value = before;
  }

  /** @type {(run: Run) => string[]} */
  const protocolsOf = (run) => [
    ...new Set(Object.values(run.suites).map((suite) => suite.protocol)),
  ];

  /** @type {(plan: Plan) => void} */
  function fillSuites(plan) {
    const run = runOf(plan);
    const protocols = protocolsOf(run);
    const uses = data.uses.filter((use) => protocols.includes(use.protocol));
    const best = [
      option(`the best of all ${run.names.length}`, ""),
      ...uses.map((use) => option(`the best for ${use.name}`, `for:${use.name}`)),
    ];
    const plain = Object.keys(run.plain);
    const groups = [
      group("By what it carries", best),
      ...protocols.map((protocol) =>
        group(
          protocol,
          Object.keys(run.suites).filter((name) => run.suites[name].protocol === protocol)
            .map((name) => option(name, `suite:${name}`)),
        ),
      ),
    ];
    if (plain.length) groups.push(group("algorithms", plain.map((name) => option(name, `suite:${name}`))));
    refill(/** @type {HTMLSelectElement} */ (field(plan, "suite")), groups);
  }

  /** @type {(plan: Plan) => void} */
  function fillLibraries(plan) {
    const run = runOf(plan);
    const names = namesOf(plan);
    const parts = names.flatMap((name) => {
      const suite = run.suites[name];
      return suite ? [name, suite.cipher, suite.integrity ?? ""] : [name];
    });
    const libraries = new Set(
      parts.flatMap((name) => (run.implementations[name] ?? []).map((it) => it[0].provider)),
    );
    refill(/** @type {HTMLSelectElement} */ (field(plan, "providers")), [
      option("the fastest", ""),
      ...[...libraries].sort().map((name) => option(name, name)),
    ]);
  }

  function fillLists() {
    for (const plan of PLANS) {
      refill(
        /** @type {HTMLSelectElement} */ (field(plan, "run")),
        data.runs.map((run) => option(`${run.machine} · run ${run.run}`, run.run)),
      );
      refill(/** @type {HTMLSelectElement} */ (field(plan, "profile")), [
        ...data.profiles.map((profile) => option(profile.name, profile.name)),
        option("packets of one size", ONE_SIZE),
        option("a mix of my own", OWN_MIX),
      ]);
      fillSuites(plan);
      fillLibraries(plan);
    }
    one('[data-row="run"]').toggleAttribute("hidden", data.runs.length < 2);
  }

  /** The suites that may answer.
   * @type {(plan: Plan) => string[]} */
  function namesOf(plan) {
    const run = runOf(plan);
    const [kind, ...rest] = field(plan, "suite").value.split(":");
    const name = rest.join(":");
    if (kind === "suite") return [name];
    const use = data.uses.find((it) => it.name === name);
    if (!use) return run.names;
    return Object.keys(run.suites).filter((it) => run.suites[it].protocol === use.protocol);
  }

  // What is asked.

  /** @type {Object<string, string>} */
  const USUAL = {
    profile: "imix", mix: "7x40, 4x576, 1500", size: "", link: "", cores: "1", tunnels: "", rate: "",
    "all-rate": "", peak: "", buffer: "", "keep-free": "0%", clock: "", mtu: String(constants.default_mtu_bytes),
  };

  /** The usual data path: as measured, else none.
   * @type {(run: Run) => string} */
  const usualPath = (run) => (Object.keys(run.paths).length ? "" : "none");

  /** @type {(plan: Plan) => string} */
  function profileText(plan) {
    const chosen = field(plan, "profile").value;
    if (chosen === ONE_SIZE) {
      return genomeOf(String(readWhole(1, 65535)(typed(plan, "size"))), constants.ethernet_bytes);
    }
    if (chosen !== OWN_MIX) return chosen;
    const text = typed(plan, "mix");
    return text.startsWith(GENOME) ? text : genomeOf(text, constants.ethernet_bytes);
  }

  /** Profiles by their texts, so that what was computed of their lengths stays known.
   * @type {Map<string, Profile>} */
  const profiles = new Map(data.profiles.map((profile) => [profile.name, profile]));

  /** @type {(text: string) => Profile} */
  function profileNamed(text) {
    const known = profiles.get(text) ?? profileOf(text, constants);
    profiles.set(text, known);
    return known;
  }

  /** Whether traffic of this name comes in bursts.
   * @param {string} name */
  const isBursty = (name) => Boolean(profiles.get(name)?.bursts);

  /** @typedef {{plan: Plan, run: Run, names: string[], question: Question, profile: string}} Asked */

  /**
   * What a plan asks; null where a field says nothing that can be computed with, which then has a
   * sentence beside it.
   * @param {Plan} plan
   * @returns {Asked | null}
   */
  function asked(plan) {
    let sound = true;

    /** @type {<T>(name: string, read: () => T) => T} */
    function reading(name, read) {
      const missing = lacking[plan][name];
      try {
        if (missing) throw new Fault(missing);
        const value = read();
        mark(plan, name, "", false);
        return value;
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        mark(plan, name, fault.message, true);
        sound = false;
        return /** @type {any} */ (null);
      }
    }

    /** @type {<T>(name: string, read: (text: string) => T) => T | null} */
    const maybe = (name, read) =>
      reading(name, () => (typed(plan, name) === "" ? null : read(typed(plan, name))));

    /** @type {<T>(name: string, read: (text: string) => T) => T} */
    const needed = (name, read) => reading(name, () => read(typed(plan, name)));

    reading("run", () => null);
    reading("suite", () => null);
    const run = runOf(plan);
    const chosen = field(plan, "profile").value;
    const ofTraffic = chosen === ONE_SIZE ? "size" : chosen === OWN_MIX ? "mix" : "profile";
    for (const name of ["size", "mix", "profile"]) mark(plan, name, "", false);
    const text = reading("profile", () => true) && reading(ofTraffic, () => {
      const itsText = profileText(plan);
      profileNamed(itsText);
      return itsText;
    });
    const library = reading("providers", () => field(plan, "providers").value);
    const tunnels = maybe("tunnels", readWhole(1, 1e7));
    const rateOfEach = maybe("rate", readRate);
    const allRate = maybe("all-rate", (typedRate) => {
      if (typed(plan, "rate") === "") return readRate(typedRate);
      throw new Fault("the rate of each tunnel is typed too: write one of them");
    });
    const bursts = text ? profileNamed(text).bursts : null;

    /** @type {(name: string, read: (text: string) => number) => number | null} */
    function ofBursts(name, read) {
      if (bursts) return maybe(name, read);
      mark(plan, name, "", false);
      return null;
    }

    const question = {
      providers: library ? [library] : [],
      both_ways: checked(plan, "both-ways"),
      link: maybe("link", readRate),
      cores: needed("cores", readWhole(1, 65536)),
      tunnels,
      rate: tunnels !== null && allRate !== null ? allRate / tunnels : rateOfEach,
      all_rate: allRate,
      peak: ofBursts("peak", readRate),
      buffer: ofBursts("buffer", readMemory),
      keep_free: maybe("keep-free", readPart) ?? 0,
      clock_hz: maybe("clock", readClock),
      path_ns: maybe("path-cost", readPath) ?? "learned",
      mtu: needed("mtu", readWhole(68, 65535)),
    };
    if (!sound || !text) return null;
    const profile = profileNamed(text);
    return {
      plan, run, names: namesOf(plan), profile: text,
      question: /** @type {Question} */ ({ ...question, profile }),
    };
  }

  /** Says something beside a field.
   * @type {(plan: Plan, name: string, text: string, isFault: boolean) => void} */
  function mark(plan, name, text, isFault) {
    const element = one(`#planner-${name}-${plan}-said`);
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle("fault", isFault);
    field(plan, name).setAttribute("aria-invalid", String(isFault));
  }

  /** @typedef {{asked: Asked, answer: Answer | null, answers: Answer[]}} Planned */

  /** @type {(it: Asked) => Planned} */
  function planned(it) {
    const answerOf = capacity.answering(data, it.run, it.question);
    const answers = /** @type {Answer[]} */ (it.names.map(answerOf).filter((answer) => answer));
    return { asked: it, answers, answer: capacity.best(data, answers) };
  }

  // Words.

  /** @type {(it: Planned) => string} */
  function headline({ asked: { question, run, names }, answer }) {
    if (!answer) {
      const what = names.length === 1 ? names[0] : "no suite";
      const both = question.both_ways ? " in both directions" : "";
      const library = question.providers.length ? ` with ${question.providers[0]}` : "";
      return names.length === 1
        ? `${what} was not measured${library}${both} at sizes from which this traffic follows (run ${run.run}).`
        : `${what} was measured${library}${both} at sizes from which this traffic follows (run ${run.run}).`;
    }
    const whole = answer.path ? "data path included" : "cryptography alone";
    const lacks = answer.lacks_keys ? `, by figures with ${counted(answer.keys, "key")} in use` : "";
    const suite = `with ${answer.suite}, ${whole}${lacks}`;
    const cores = question.cores === 1 ? "one core" : `${question.cores} cores`;
    const capital = cores[0].toUpperCase() + cores.slice(1);
    if (answer.demand) return `${demanded(answer.demand, question, cores)} ${suite}.`;
    if (answer.held) {
      const tunnels = counted(answer.held.tunnels, "tunnel");
      const verb = question.cores === 1 ? "holds" : "hold";
      return `${capital} ${verb} ${tunnels} of ${rate(answer.held.rate_bits_per_second)} each ${suite}.`;
    }
    const ways = question.both_ways ? " each way" : "";
    const verb = question.cores === 1 ? "carries" : "carry";
    return `${capital} ${verb} ${rate(answer.payload_bits_per_second)} of payload${ways} ${suite}.`;
  }

  /** @type {(demand: Answer, question: Question, cores: string) => string} */
  function demanded(demand, question, cores) {
    const ways = question.both_ways ? " both ways" : "";
    let what = `${rate(demand.rate_bits_per_second)} of payload${ways}`;
    if (demand.of_link) what = `a full link (${what})`;
    if (demand.tunnels !== null) what = `${counted(demand.tunnels, "tunnel")}, ${what} in all,`;
    const word = demand.enough === null ? "Not sure" : demand.enough ? "Yes" : "No";
    const value = demand.cores.value;
    let used = `${significant(value)}${demand.enough === false ? " cores" : ` of ${cores}`}`;
    if (question.cores === 1) used = value < 1 ? `${percent(value)} of one core` : `${significant(value)} cores`;
    const several = demand.tunnels !== null && demand.tunnels !== 1;
    const verb = demand.enough === false ? "need" : "use";
    return `${word}: ${what} ${verb}${several ? "" : "s"} ${used}`;
  }

  /** What one must know to judge the answer.
   * @type {(it: Planned) => string[]} */
  function notes({ asked: { question, run }, answer }) {
    if (!answer) return [];
    const said = [];
    if (answer.basis === "parts") {
      said.push(`estimated from cipher and MAC, measured apart: the error is at most ${percent(answer.parts_error)} in 95 of 100 cases`);
    }
    if (answer.basis === "imported") {
      said.push("figures of another program: not verified, and without an interval; ±10 % is an assumption");
    }
    if (answer.beyond) said.push("the traffic has packets beyond the measured sizes");
    if (question.clock_hz !== null) {
      const error = percent(constants.other_clock_error);
      said.push(`scaled by the clock to ${significant(question.clock_hz / 1e9)} GHz: ±${error} is an assumption, since memory does not scale with it`);
    }
    if (run.cpus !== null && question.cores > run.cpus) {
      said.push(`${run.machine} has ${counted(run.cpus, "CPU")}, and the plan asks for ${question.cores}`);
    }
    const { basis, cores, largest_measured: largest } = answer.speed_up;
    if (basis === "assumed") said.push("assumes that cores do not disturb each other; measure with: ciphermark sessions");
    if (basis === "extrapolated") said.push(`${cores} cores are extrapolated from ${largest} that were measured`);
    if (answer.lacks_keys) {
      said.push(`measured with ${counted(answer.keys, "key")} in use: the cost of finding the key of one of ${grouped(Number(question.tunnels))} tunnels is not in the figures`);
    }
    if (answer.memory_bits_per_second === null) said.push("packets are assumed to be in a cache; the cost of memory was not measured");
    if (answer.path && !answer.path.is_whole) said.push("the data path is that of plain forwarding, without the tunnel’s own work");
    if (!answer.path) said.push("other work on a packet than cryptography is not included: ciphermark tunnel measures it");
    if (answer.key) said.push(`a key of ${answer.suite} lasts until its limit: ${answer.key.limit.reason}`);
    if (answer.bursts?.method === "simulation") said.push("bursts with heavy tails are simulated: the command below says their delay, loss and buffer");
    if (answer.key?.hurried) said.push("a key lasts less than a key exchange needs: take another suite, or less traffic in one tunnel");
    return said;
  }

  // The table of figures.

  /**
   * @typedef {{name: string, cell: (answer: Answer, question: Question) => (Node | string)[] | null,
   *   order?: string}} Figure  `order`: the field that plans are compared by.
   */

  /** The field of an answer, `held.tunnels` too.
   * @type {(answer: Answer, path: string) => any} */
  const part = (answer, path) => path.split(".").reduce((it, name) => it?.[name] ?? null, answer);

  /** A figure with its exact value, as scripts and readers of the page take it.
   * @type {(answer: Answer, path: string, text: (value: any) => string) => Node} */
  function datum(answer, path, text) {
    const element = document.createElement("data");
    const value = part(answer, path);
    element.value = String(value);
    element.dataset.figure = path;
    element.textContent = text(value);
    return element;
  }

  /** @type {(...content: (Node | string)[]) => Node} */
  function small(...content) {
    const element = document.createElement("small");
    element.append(...content);
    return element;
  }

  /** @type {(answer: Answer, low: string, high: string, units: Units) => Node} */
  function interval(answer, low, high, units) {
    const [unit, size] = unitOf(part(answer, low), units);
    /** @param {number} value */
    const plain = (value) => significant(value / size);
    return small(datum(answer, low, plain), " to ", datum(answer, high, (it) => `${plain(it)} ${unit}`));
  }

  /** @type {(answer: Answer, name: string, text: (value: number) => string) => Node} */
  const spread = (answer, name, text) =>
    part(answer, `${name}.low`) === null
      ? small("no interval")
      : small(datum(answer, `${name}.low`, text), " to ", datum(answer, `${name}.high`, text));

  /** @type {Figure[]} */
  const FIGURES = [
    {
      name: "Suite",
      cell: (it) => [
        datum(it, "suite", String),
        small(`${constants.bases[it.basis]}, ${it.provider} · ${it.backend}`),
      ],
    },
    {
      name: "Payload", order: "payload_bits_per_second",
      cell: (it) => [
        datum(it, "payload_bits_per_second", rate),
        it.low === it.high ? small("the link is full") : interval(it, "low", "high", RATES),
      ],
    },
    {
      name: "Packets", order: "packets_per_second",
      cell: (it) => [datum(it, "packets_per_second", packets)],
    },
    {
      name: "On Ethernet", order: "wire_bits_per_second",
      cell: (it) => it.wire_bits_per_second === null ? null : [datum(it, "wire_bits_per_second", rate)],
    },
    {
      name: "One tunnel", order: "flow.value",
      cell: (it) => [datum(it, "flow.value", rate), interval(it, "flow.low", "flow.high", RATES)],
    },
    {
      name: "A packet on a core", order: "ns_per_packet.value",
      cell: (it) => [
        datum(it, "ns_per_packet.value", nanoseconds),
        it.ns_per_packet.low === null ? small("no interval")
          : interval(it, "ns_per_packet.low", "ns_per_packet.high", SHORT_TIMES),
      ],
    },
    {
      name: "of it cryptography", order: "cryptography_share",
      cell: (it) => [datum(it, "cryptography_share", percent)],
    },
    {
      name: "CPU", order: "cores_used",
      cell: (it, question) => [
        datum(it, "cores_used", (used) => `${significant(used)} of ${counted(question.cores, "core")}`),
        small(datum(it, "cores_per_gbit.value", significant), " cores for 1 Gbit/s"),
      ],
    },
    {
      name: "Asked for", order: "demand.cores.value",
      cell: (it) => it.demand && [
        datum(it, "demand.cores.value", (value) => `${significant(value)} cores`),
        spread(it, "demand.cores", significant),
      ],
    },
    {
      name: "Headroom", order: "demand.headroom.value",
      cell: (it) => it.demand && [
        datum(it, "demand.headroom.value", ratio),
        spread(it, "demand.headroom", ratio),
      ],
    },
    {
      name: "Tunnels that hold the rate", order: "held.tunnels",
      cell: (it) => it.held && [
        datum(it, "held.tunnels", grouped),
        it.held.tunnels_high === null
          ? small("at least ", datum(it, "held.tunnels_low", grouped), `; limit: ${it.held.limit}`)
          : small(datum(it, "held.tunnels_low", grouped), " to ", datum(it, "held.tunnels_high", grouped), `; limit: ${it.held.limit}`),
      ],
    },
    {
      name: "Limit",
      cell: (it) => [datum(it, "limit", String), small(constants.longer[it.limit])],
    },
    {
      name: "Fixed cost", order: "fixed_share",
      cell: (it) => it.fixed_share === null ? null : [datum(it, "fixed_share", percent), small("of a packet’s cost")],
    },
    {
      name: "A key lasts", order: "key.seconds",
      cell: (it) => it.key && [datum(it, "key.seconds", lasting)],
    },
    {
      name: "Bursts of a tunnel",
      cell: (it) => it.bursts && [
        datum(it, "bursts.peak_bits_per_second", rate),
        small("of ", datum(it, "bursts.mean_bits_per_second", rate), " on average, served at ", datum(it, "bursts.served_bits_per_second", rate)),
      ],
    },
    {
      name: `${percent(1 - constants.late_share)} of its data wait less than`, order: "bursts.late_delay_s.value",
      cell: (it) => it.bursts?.method !== "closed form" ? null
        : it.bursts.late_delay_s === null ? ["the queue grows without end"]
          : [datum(it, "bursts.late_delay_s.value", lasting)],
    },
    {
      name: `Buffer that loses ${percent(constants.lost_share, 1)} of them`, order: "bursts.buffer_bytes.value",
      cell: (it) => it.bursts?.buffer_bytes && [
        datum(it, "bursts.buffer_bytes.value", (bytes) => `${significant(bytes / 1000)} kB`),
      ],
    },
    {
      name: "Lost with the buffer", order: "bursts.lost.value",
      cell: (it) => it.bursts?.lost && [datum(it, "bursts.lost.value", percent)],
    },
    {
      name: "Fragments", order: "on_wire.fragmented_share",
      cell: (it) => !it.on_wire?.fragmented_share ? null : [
        datum(it, "on_wire.fragmented_share", percent),
        small(`of packets; unfragmented up to ${it.on_wire.largest_bytes ?? 0} bytes`),
      ],
    },
    {
      name: "Data path",
      cell: (it) => it.path
        ? [datum(it, "path.ns.value", nanoseconds), small(it.path.kind === "told" ? "as given" : it.path.kind)]
        : ["not included"],
    },
  ];

  /** @type {(results: (Planned | null)[]) => void} */
  function showFigures(results) {
    const lines = FIGURES.flatMap((figure) => {
      const cells = results.map((it) => it?.answer ? figure.cell(it.answer, it.asked.question) : null);
      if (!cells.some(Boolean)) return [];
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = figure.name;
      row.append(head);
      cells.forEach((content, place) => {
        const cell = row.insertCell();
        cell.dataset.plan = PLANS[place];
        cell.append(...(content ?? [NONE]));
      });
      if (results.length > 1) {
        const cell = row.insertCell();
        cell.dataset.plan = "b";
        cell.className = "compared";
        cell.append(compared(figure, results));
      }
      return [row];
    });
    one("tbody").replaceChildren(...lines);
  }

  /** @type {(figure: Figure, results: (Planned | null)[]) => string} */
  function compared({ order }, results) {
    if (!order) return "";
    const [first, second] = results.map((it) => it?.answer ? part(it.answer, order) : null);
    if (first === null || second === null || !Number.isFinite(second / first)) return NONE;
    return ratio(second / first);
  }

  // Drawings: capacity over the size of packets, and the parts of a packet's cost.

  const SVG = "http://www.w3.org/2000/svg";

  /** @type {(name: string, attributes: Object<string, string | number>, text?: string) => SVGElement} */
  function drawn(name, attributes, text) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /** @type {(name: string, height: number, label: string, elements: (width: number) => SVGElement[]) => void} */
  function draw(name, height, label, elements) {
    const place = /** @type {HTMLElement} */ (one(`[data-chart="${name}"]`));
    const width = Math.max(240, place.clientWidth || 560);
    const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    svg.append(...elements(width));
    place.replaceChildren(svg);
  }

  const SMALLEST = 40;
  const LARGEST = 16384;
  const POINTS = 40;
  const SIZES = [...Array(POINTS).keys()].map((place) =>
    Math.round(SMALLEST * (LARGEST / SMALLEST) ** (place / (POINTS - 1))),
  );
  const TICKS = [64, 256, 1024, 4096, 16384];

  /** @type {Profile[]} */
  const ofOneSize = SIZES.map((size) => (
    { name: `${size} bytes`, title: "", parts: [[size, size, 1]], bursts: null }));

  /** @type {(it: Planned) => {bytes: number, value: number, low: number, high: number}[]} */
  function curve({ asked: { run, question }, answer }) {
    return ofOneSize.flatMap((profile, place) => {
      const found = answer && capacity.answering(data, run, { ...question, profile })(answer.suite);
      if (!found) return [];
      return [{ bytes: SIZES[place], value: found.payload_bits_per_second, low: found.low, high: found.high }];
    });
  }

  /** A round number that is no less: 1, 2 or 5 times a power of ten.
   * @param {number} value */
  function rounded(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return (([1, 2, 5].find((it) => it * power >= value) ?? 10)) * power;
  }

  /** @type {(results: Planned[]) => void} */
  function drawSizes(results) {
    const curves = results.map(curve);
    const points = results.map(({ answer: it }) => ({
      bytes: Math.max(SMALLEST, Math.min(LARGEST, it?.mean_packet_bytes ?? 0)),
      value: it?.payload_bits_per_second ?? 0, low: it?.low ?? 0, high: it?.high ?? 0,
    }));
    /** @param {number} value */
    const known = (value) => (Number.isFinite(value) ? value : 0);
    const most = Math.max(1, ...[...curves.flat(), ...points].map((it) => known(it.high) || it.value));
    const step = rounded(most / 4);
    const top = step * Math.ceil(most / step);
    const [unit, size] = unitOf(top, RATES);
    /** @param {number} value */
    const plainOf = (value) => String(Number(value.toPrecision(3)));
    const said = results.map((it) => headline(it)).join(" ");
    draw("size", 262, `Payload over packet size. ${said}`, (room) => {
      const [left, right, bottom, upmost] = [44, room - 14, 220, 24];
      /** @param {number} bytes */
      const x = (bytes) => left + (Math.log(bytes / SMALLEST) / Math.log(LARGEST / SMALLEST)) * (right - left);
      /** @param {number} value */
      const y = (value) => bottom - (Math.min(known(value) || top, top) / top) * (bottom - upmost);
      const lines = [drawn("text", { x: 0, y: 10 }, `${unit} of payload`)];
      for (let value = 0; value <= top * 1.001; value += step) {
        const level = bottom - (value / top) * (bottom - upmost);
        lines.push(
          drawn("line", { class: "grid", x1: left, x2: right, y1: level, y2: level }),
          drawn("text", { x: left - 8, y: level + 4, "text-anchor": "end" }, plainOf(value / size)),
        );
      }
      for (const tick of TICKS) {
        const anchor = tick === LARGEST ? "end" : "middle";
        lines.push(drawn("text", { x: x(tick), y: bottom + 18, "text-anchor": anchor }, grouped(tick)));
      }
      lines.push(drawn("text", { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, "bytes of a packet"));
      results.forEach(({ asked: { plan } }, place) => {
        const its = curves[place];
        const line = its.map((it) => `${x(it.bytes).toFixed(1)},${y(it.value).toFixed(1)}`);
        const upper = its.map((it) => `${x(it.bytes).toFixed(1)},${y(it.high).toFixed(1)}`);
        const lower = its.map((it) => `${x(it.bytes).toFixed(1)},${(bottom - (it.low / top) * (bottom - upmost)).toFixed(1)}`);
        lines.push(
          drawn("polygon", { class: `band of-${plan}`, points: [...upper, ...lower.reverse()].join(" ") }),
          drawn("polyline", { class: `curve of-${plan}`, points: line.join(" ") }),
        );
      });
      results.forEach(({ asked: { plan } }, place) => {
        const it = points[place];
        lines.push(
          drawn("line", { class: `whisker of-${plan}`, x1: x(it.bytes), x2: x(it.bytes), y1: y(it.low), y2: y(it.high) }),
          drawn("circle", { class: `point of-${plan}`, cx: x(it.bytes), cy: y(it.value), r: 4.5 }),
          drawn("text", {
            class: `of-${plan}`, x: x(it.bytes) + (plan === "a" ? -9 : 9), y: y(it.value) - 8,
            "text-anchor": plan === "a" ? "end" : "start",
          }, plan.toUpperCase()),
        );
      });
      return lines;
    });
  }

  /** @typedef {{kind: string, name: string, ns: number}} Part */

  /** @type {(answer: Answer) => Part[]} */
  function partsOf(answer) {
    const whole = answer.ns_per_packet.value;
    const ways = answer.operations.length;
    const path = answer.path ? ways * answer.path.ns.value : 0;
    const rest = whole - path;
    const parts = path ? [{ kind: "path", name: "data path", ns: path }] : [];
    if (answer.path?.has_cryptography) return [{ kind: "path", name: "data path with cryptography", ns: whole }];
    if (answer.fixed_share === null) return [...parts, { kind: "fixed", name: "cryptography", ns: rest }];
    const ofPath = answer.path ? ways * answer.path.fixed_ns : 0;
    const fixed = Math.max(0, Math.min(rest, answer.fixed_share * whole - ofPath));
    return [
      ...parts,
      { kind: "fixed", name: "cryptography, fixed", ns: fixed },
      { kind: "bytes", name: "cryptography, bytes", ns: rest - fixed },
    ];
  }

  /** @type {(results: Planned[]) => void} */
  function drawCosts(results) {
    const costs = results.map((it) => partsOf(/** @type {Answer} */ (it.answer)));
    const sums = costs.map((parts) => parts.reduce((sum, it) => sum + it.ns, 0));
    const most = Math.max(...sums);
    /** @type {(parts: Part[]) => string} */
    const words = (parts) => parts.map((it) => `${it.name} ${nanoseconds(it.ns)}`).join(" · ");
    const said = results.map((it, place) => `Plan ${it.asked.plan.toUpperCase()}: ${words(costs[place])}.`);
    const lineHeight = 17;
    const width = one('[data-chart="cost"]').clientWidth || 560;
    const perLine = Math.max(1, Math.floor((width - 24) / 190));
    const rows = costs.map((parts) => 26 + lineHeight * Math.ceil(parts.length / perLine) + 14);
    const height = rows.reduce((sum, it) => sum + it, 4);
    draw("cost", height, `Parts of the cost of a packet. ${said.join(" ")}`, (room) => {
      /** @type {SVGElement[]} */
      const elements = [];
      let top = 4;
      results.forEach(({ asked: { plan } }, place) => {
        elements.push(drawn("text", { class: `of-${plan}`, x: 0, y: top + 17 }, plan.toUpperCase()));
        let left = 24;
        costs[place].forEach((it, number) => {
          const wide = (it.ns / most) * (room - 26);
          elements.push(drawn("rect", { class: `part ${it.kind}`, x: left, y: top, width: Math.max(0, wide), height: 24 }));
          left += wide;
          const line = Math.floor(number / perLine);
          const column = 24 + (number % perLine) * 190;
          const base = top + 26 + lineHeight * (line + 1) - 3;
          elements.push(
            drawn("rect", { class: `part ${it.kind}`, x: column, y: base - 9, width: 10, height: 10 }),
            drawn("text", { x: column + 15, y: base }, `${it.name} ${nanoseconds(it.ns)}`),
          );
        });
        top += rows[place];
      });
      return elements;
    });
  }

  // The link and the command.

  /** The options of `ciphermark capacity` that differ from the usual, as they are typed.
   * @type {(it: Asked) => [string, string][]} */
  function options({ plan, run, profile }) {
    /** @type {[string, string][]} */
    const found = [["run", run.run]];
    const [kind, ...rest] = field(plan, "suite").value.split(":");
    if (kind) found.push([kind === "for" ? "for" : "suites", rest.join(":")]);
    if (field(plan, "providers").value) found.push(["providers", field(plan, "providers").value]);
    // Without a profile the command takes the usual one of a use.
    if (profile !== USUAL.profile || kind === "for") found.push(["profile", profile]);
    if (checked(plan, "both-ways")) found.push(["both-ways", ""]);
    const bursty = profileNamed(profile).bursts === null ? [] : ["peak", "buffer"];
    for (const name of ["link", "cores", "tunnels", "rate", "all-rate", ...bursty, "keep-free", "clock", "path-cost", "mtu"]) {
      const text = typed(plan, name);
      if (text !== "" && text !== USUAL[name]) found.push([name, text]);
    }
    return found;
  }

  /** @param {string} text */
  const quoted = (text) => (/^[\w%+=:,.\/@-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`);

  /** @type {(it: Asked) => string} */
  function command(it) {
    const words = options(it).map(([name, value]) => {
      if (name === "clock") return `--on ${quoted(`@${value}`)}`;
      return value === "" ? `--${name}` : `--${name} ${quoted(value)}`;
    });
    return ["ciphermark capacity", ...words].join(" ");
  }

  /** @type {(it: Asked) => string} */
  function address(it) {
    const found = options(it).filter(([name]) => name !== "run" || data.runs.length > 1)
      .filter(([name, value]) => name !== "path-cost" || value !== usualPath(it.run));
    if (typed(it.plan, "path-cost") === "" && usualPath(it.run)) found.push(["path-cost", ""]);
    return new URLSearchParams(found).toString();
  }

  /** Sets the choices of a plan to those of an address.
   * @type {(plan: Plan, text: string) => void} */
  function restore(plan, text) {
    const wanted = new URLSearchParams(text);
    lacking[plan] = {};

    /** @type {(name: string, value: string, sentence: string) => void} */
    function choose(name, value, sentence) {
      const select = /** @type {HTMLSelectElement} */ (field(plan, name));
      if ([...select.options].some((it) => it.value === value)) select.value = value;
      else lacking[plan][name] = sentence;
    }

    choose("run", wanted.get("run") ?? data.runs[0].run, `this page has no run ${wanted.get("run")}: choose one that it has`);
    fillSuites(plan);
    const run = runOf(plan);
    const use = wanted.get("for");
    const suite = wanted.get("suites");
    if (use !== null) choose("suite", `for:${use}`, `run ${run.run} has no suite for ${use}: choose another use`);
    else if (suite !== null) choose("suite", `suite:${suite}`, `run ${run.run} has no suite ${suite}: choose another one`);
    else choose("suite", "", "");
    fillLibraries(plan);
    const library = wanted.get("providers") ?? "";
    choose("providers", library, `run ${run.run} has no figures of ${library}: choose another library`);
    restoreTraffic(plan, wanted.get("profile") ?? USUAL.profile);
    /** @type {HTMLInputElement} */ (field(plan, "both-ways")).checked = wanted.has("both-ways");
    for (const name of ["link", "cores", "tunnels", "rate", "all-rate", "peak", "buffer", "keep-free", "clock", "mtu"]) {
      field(plan, name).value = wanted.get(name) ?? USUAL[name];
    }
    field(plan, "path-cost").value = wanted.get("path-cost") ?? usualPath(run);
  }

  /** @type {(plan: Plan, text: string) => void} */
  function restoreTraffic(plan, text) {
    field(plan, "mix").value = USUAL.mix;
    if (profiles.has(text) && !text.startsWith(GENOME)) {
      field(plan, "profile").value = text;
      return;
    }
    const [, frame] = /^imix:A:A=(\d{1,5})$/.exec(text) ?? [];
    const bytes = Number(frame) - constants.ethernet_bytes;
    if (bytes >= 1) {
      field(plan, "profile").value = ONE_SIZE;
      field(plan, "size").value = String(bytes);
      return;
    }
    field(plan, "profile").value = OWN_MIX;
    field(plan, "mix").value = text;
  }

  /** @returns {string | null} the choices in the address of the page */
  function fromAddress() {
    return location.hash.startsWith(ADDRESS) ? location.hash.slice(ADDRESS.length) : null;
  }

  /** @param {string} text */
  function restoreAll(text) {
    const [first, second] = text.split("|");
    restore("a", first);
    restore("b", second ?? first);
    setPlans(second === undefined ? 1 : 2);
  }

  // Dragging.

  /** Where a range stands when its field is empty or says nothing.
   * @type {(plan: Plan, name: string) => number | null} */
  function restingValue(plan, name) {
    if (name === "clock") return runOf(plan).clock_hz;
    if (name === "path-cost") return latest[plan]?.answer?.path?.ns.value ?? null;
    return null;
  }

  /** @type {Object<string, (text: string) => number | "none">} */
  const READERS = {
    size: readWhole(1, 65535), link: readRate, cores: readWhole(1, 65536), tunnels: readWhole(1, 1e7),
    rate: readRate, "all-rate": readRate, peak: readRate, buffer: readMemory, "keep-free": (text) => 100 * readPart(text), clock: readClock,
    "path-cost": readPath, mtu: readWhole(68, 65535),
  };

  /** @type {(value: number, digits: number) => number} */
  const tidy = (value, digits) => Number(value.toPrecision(digits));

  /** @param {number} value */
  function rateText(value) {
    const [unit, size] = unitOf(value, [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]]);
    return `${tidy(value / size, 2)}${unit}`;
  }

  /** @type {Object<string, (value: number) => string>} */
  const WRITERS = {
    size: (it) => String(Math.round(it < 200 ? it : tidy(it, 3))),
    link: rateText,
    cores: (it) => String(Math.round(it)),
    tunnels: (it) => String(Math.max(1, Math.round(tidy(it, 2)))),
    rate: rateText,
    "all-rate": rateText,
    peak: rateText,
    buffer: (it) => (it < 2 ** 20 ? `${Math.round(it / 2 ** 10)}K` : `${Math.round(it / 2 ** 20)}M`),
    "keep-free": (it) => `${Math.round(it)}%`,
    clock: (it) => `${tidy(it / 1e9, 3)}GHz`,
    "path-cost": (it) => (it < 1000 ? `${Math.round(tidy(it, 2))}ns` : `${tidy(it / 1e3, 2)}us`),
    mtu: (it) => String(Math.round(tidy(it, 3))),
  };

  /** Fields whose range has, on its left, a place for nothing. */
  const EMPTY_LEFT = ["link", "tunnels", "rate", "all-rate", "peak", "buffer"];

  /** @type {(range: HTMLInputElement) => {least: number, most: number, isLog: boolean, first: number}} */
  function scaleOf(range) {
    const { least, most, scale, drags = "" } = range.dataset;
    const first = EMPTY_LEFT.includes(drags) ? 1 : 0;
    return { least: Number(least), most: Number(most), isLog: scale === "log", first };
  }

  /** @param {HTMLInputElement} range */
  function dragged(range) {
    const plan = planOf(range);
    const name = range.dataset.drags ?? "";
    const { least, most, isLog, first } = scaleOf(range);
    const place = (Number(range.value) - first) / (STEPS - first);
    const value = isLog ? least * (most / least) ** place : least + (most - least) * place;
    field(plan, name).value = place < 0 ? "" : WRITERS[name](value);
    changed(plan, name, range);
  }

  /** Moves a range to where its field is, and says what it stands for.
   * @type {(plan: Plan, name: string) => void} */
  function moveRange(plan, name) {
    const range = drag(plan, name);
    if (!range) return;
    const text = typed(plan, name);
    /** @type {number | null} */
    let value = restingValue(plan, name);
    try {
      const read = text === "" ? null : READERS[name](text);
      if (typeof read === "number") value = read;
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
    }
    const { least, most, isLog, first } = scaleOf(range);
    const clamped = Math.max(least, Math.min(most, value ?? least));
    const share = isLog ? Math.log(clamped / least) / Math.log(most / least) : (clamped - least) / (most - least);
    if (range !== document.activeElement) {
      range.value = String(value === null ? 0 : Math.round(first + share * (STEPS - first)));
    }
    range.setAttribute("aria-valuetext", text === "" ? (name === "clock" || name === "path-cost" ? "as measured" : "none") : text);
  }

  // Changes.

  /** @type {Object<string, Planned | null>} */
  const latest = { a: null, b: null };

  /** @type {(element: Element) => Plan} */
  const planOf = (element) =>
    /** @type {Plan} */ (/** @type {HTMLElement} */ (element.closest("[data-plan]")).dataset.plan);

  /** @type {(plan: Plan, name: string, by?: Element) => void} */
  function changed(plan, name) {
    delete lacking[plan][name];
    if (name === "run") {
      fillSuites(plan);
      if (["", "none"].includes(typed(plan, "path-cost"))) {
        field(plan, "path-cost").value = usualPath(runOf(plan));
      }
    }
    if (name === "run" || name === "suite") fillLibraries(plan);
    if (name === "size") field(plan, "profile").value = ONE_SIZE;
    if (name === "profile" && field(plan, "profile").value === ONE_SIZE) keepMean(plan);
    update();
  }

  /** Packets of one size begin with the mean of what was there before.
   * @param {Plan} plan */
  function keepMean(plan) {
    if (!/^\d+$/.test(typed(plan, "size"))) field(plan, "size").value = "1400";
  }

  /** @param {number} count */
  function setPlans(count) {
    section.dataset.plans = String(count);
    one('[data-action="second"]').textContent = count === 2 ? "Remove the second plan" : "Add a second plan";
  }

  let waiting = 0;

  /** Computes everything anew. */
  function update() {
    const plans = shownPlans();
    const results = plans.map((plan) => {
      const it = asked(plan);
      return it && planned(it);
    });
    plans.forEach((plan, place) => {
      latest[plan] = results[place];
      showPlan(plan, results[place]);
    });
    one('[data-row="mix"]').toggleAttribute(
      "hidden", plans.every((plan) => field(plan, "profile").value !== OWN_MIX),
    );
    const bursty = plans.map((plan) => isBursty(field(plan, "profile").value));
    for (const name of ["peak", "buffer"]) {
      one(`[data-row="${name}"]`).toggleAttribute("hidden", !bursty.includes(true));
      plans.forEach((plan, place) => {
        field(plan, name).disabled = !bursty[place];
        const range = drag(plan, name);
        if (range) range.disabled = !bursty[place];
      });
    }
    showFigures(results);
    const answered = /** @type {Planned[]} */ (results.filter((it) => it?.answer));
    for (const chart of all("figure")) chart.toggleAttribute("hidden", !answered.length);
    if (answered.length) {
      drawSizes(answered);
      drawCosts(answered);
    }
    showNotes(answered);
    clearTimeout(waiting);
    waiting = setTimeout(() => settled(results), QUIET_MS);
  }

  /** What holds for one of two plans says for which.
   * @param {Planned[]} answered */
  function showNotes(answered) {
    const each = answered.map(notes);
    const said = each.flatMap((texts, place) =>
      texts
        .filter((text) => place === 0 || !each[0].includes(text))
        .map((text) => {
          const isShared = each.every((other) => other.includes(text));
          const letter = isShared ? "" : `${answered[place].asked.plan.toUpperCase()}: `;
          const item = document.createElement("li");
          item.textContent = letter + text;
          return item;
        }),
    );
    one("[data-notes]").replaceChildren(...said);
  }

  /** Shows a command whose lines end between its options.
   * @type {(plan: Plan, it: Asked | null) => void} */
  function showCommand(plan, it) {
    const words = (it ? command(it) : NONE).split(/(?<= )(?=--)/).map((text) => {
      const word = document.createElement("span");
      word.textContent = text;
      return word;
    });
    one(`[data-command="${plan}"]`).replaceChildren(...words);
  }

  /** @type {(plan: Plan, result: Planned | null) => void} */
  function showPlan(plan, result) {
    const text = result ? headline(result) : "A choice cannot be read: see the sentence beside it.";
    one(`[data-headline="${plan}"]`).textContent = shownPlans().length > 1 ? `${plan.toUpperCase()}: ${text}` : text;
    const answer = result?.answer;
    const sum = one(`[data-sum="${plan}"]`);
    const letter = document.createElement("b");
    letter.className = `of-${plan}`;
    letter.textContent = shownPlans().length > 1 ? `${plan.toUpperCase()} ` : "";
    const figure = document.createElement("b");
    figure.textContent = answer ? rate(answer.payload_bits_per_second) : NONE;
    const rest = answer ? ` · ${answer.suite} · limit: ${answer.limit}` : "";
    sum.replaceChildren(letter, figure, rest);
    showCommand(plan, result && result.asked);
    if (field(plan, "profile").value !== ONE_SIZE) {
      const mean = result && capacity.mixOf(result.asked.question.profile).mean;
      field(plan, "size").value = mean ? String(Math.round(mean)) : "";
    }
    const run = runOf(plan);
    const clock = /** @type {HTMLInputElement} */ (field(plan, "clock"));
    clock.disabled = run.clock_hz === null;
    clock.placeholder = run.clock_hz === null ? "some costs are known in time alone" : `${significant(run.clock_hz / 1e9)}GHz`;
    const range = drag(plan, "clock");
    if (range) range.disabled = clock.disabled;
    const path = /** @type {HTMLInputElement} */ (field(plan, "path-cost"));
    path.placeholder = answer?.path ? inUnits(answer.path.ns.value, SHORT_TIMES) : "not measured";
    if (path.getAttribute("aria-invalid") !== "true") mark(plan, "path-cost", pathWords(run, result), false);
    for (const name of Object.keys(READERS)) moveRange(plan, name);
  }

  /** @type {(run: Run, result: Planned | null) => string} */
  function pathWords(run, result) {
    const path = result?.answer?.path;
    if (!result || !path) return "";
    return path.kind === "told" ? "" : `measured: ${path.kind}, ${path.source}`;
  }

  /** What need not follow each step of dragging.
   * @type {(results: (Planned | null)[]) => void} */
  function settled(results) {
    one("[data-said]").textContent = shownPlans().map((plan) => one(`[data-headline="${plan}"]`).textContent).join(" ");
    if (results.some((it) => it === null)) return;
    const hash = ADDRESS + results.map((it) => address(/** @type {Planned} */ (it).asked)).join("|");
    /** @type {HTMLAnchorElement} */ (one("[data-link]")).href = hash;
    // The address of a page that was opened for something else stays as it is until one plans.
    if (fromAddress() === null && !hasPlanned) return;
    try {
      history.replaceState(null, "", hash);
    } catch {
      // Browsers that count the changes refuse some: the link in the page has the choices too.
    }
  }

  let hasPlanned = false;

  /** @type {Object<string, (button: HTMLElement) => void>} */
  const ACTIONS = {
    second() {
      if (section.dataset.plans === "2") setPlans(1);
      else {
        const it = asked("a");
        if (it) restore("b", address(it));
        setPlans(2);
      }
      update();
    },
    reset() {
      restoreAll(data.start ?? "");
      update();
    },
    link() {
      settled(shownPlans().map((plan) => latest[plan]));
      navigator.clipboard?.writeText(/** @type {HTMLAnchorElement} */ (one("[data-link]")).href).catch(() => undefined);
    },
    copy(button) {
      const shown = one(`[data-command="${button.dataset.of}"]`);
      getSelection()?.selectAllChildren(shown);
      navigator.clipboard?.writeText(shown.textContent ?? "").catch(() => undefined);
    },
  };

  section.addEventListener("input", (event) => {
    hasPlanned = true;
    const element = /** @type {HTMLInputElement} */ (event.target);
    if (element.dataset.drags) dragged(element);
    else if (element.dataset.field) changed(planOf(element), element.dataset.field);
  });
  section.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("[data-action]");
    if (!button) return;
    hasPlanned = true;
    ACTIONS[/** @type {HTMLElement} */ (button).dataset.action ?? ""](/** @type {HTMLElement} */ (button));
  });
  one("form").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", () => {
    const text = fromAddress();
    if (text === null) return;
    restoreAll(text);
    update();
  });

  fillLists();
  const atFirst = fromAddress();
  restoreAll(atFirst ?? data.start ?? "");
  update();
  const isAlone = document.querySelector("main > section:not(#planner)") === null;
  if (atFirst !== null && !isAlone) section.scrollIntoView();

  let width = section.clientWidth;
  new ResizeObserver(() => {
    if (section.clientWidth === width) return;
    width = section.clientWidth;
    update();
  }).observe(section);
}

// A report that is one file has the data within itself.

const embeddedPlans = document.getElementById("planner-data");
if (embeddedPlans) startPlanner(JSON.parse(embeddedPlans.textContent ?? "{}"));
