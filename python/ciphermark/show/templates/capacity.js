"use strict";

/**
 * The answers of `ciphermark capacity`, from what answers/capacity/planner.py prepared.
 *
 * Each function is that of the same name in answers/capacity/ and workloads/core_rate.py, where the
 * reasons stand; constants come with the data. An answer has the fields of `capacity --json`.
 * tests/test_planner_browser.py holds both equal.
 */

/**
 * @typedef {{value: number, low: number | null, high: number | null}} Estimate
 *   A figure with the ends of its 95 % interval, where they are known.
 * @typedef {{bytes: number[], ns: number[], half: number[], bend: number,
 *   fixed_ns: number | null}} SizeCosts
 * @typedef {[number, number]} Halved  A figure, and half of its interval.
 * @typedef {{hot: SizeCosts | null, stream: SizeCosts | null,
 *   profiles: Object<string, Halved>}} Operation
 * @typedef {{provider: string, backend: string, keys: number, setup_ns: number | null,
 *   operations: Object<string, Operation>}} Candidate
 * @typedef {{packets: number | null, bytes: number | null, seconds: number | null,
 *   reason: string, source: string}} Limit
 * @typedef {{outer_bytes: number, header_bytes: number, iv_bytes: number, trailer_bytes: number,
 *   pad_to: number, icv_bytes: number}} Framing
 * @typedef {{limits: Limit[], factors: Object<string, [number, number, number]>,
 *   path: string | null}} Plain  What is known of any algorithm.
 * @typedef {Plain & {protocol: string, cipher: string, integrity: string | null,
 *   library: string | null, framing: Framing, carried: string}} Suite
 * @typedef {{kind: string, source: string, is_whole: boolean, has_cryptography: boolean,
 *   hz: number | null, ends: [number, number, number | null][]}} Path
 * @typedef {{run: string, machine: string, cpus: number | null, physical_cores: number | null,
 *   kind: string, error: number, clock_hz: number | null, names: string[],
 *   suites: Object<string, Suite>, plain: Object<string, Plain>,
 *   implementations: Object<string, Candidate[][]>, lengths: Object<string, Halved>,
 *   paths: Object<string, Path>}} Run
 * @typedef {{kind: string, peak_bits_per_second: number, mean_on_s: number, off_s: number}} Bursts
 * @typedef {{name: string, title: string, parts: [number, number, number][],
 *   bursts: Bursts | null}} Profile  Each part: bytes from, to, and its weight.
 * @typedef {{runs: Run[], profiles: Profile[], start?: string,
 *   uses: {name: string, title: string, protocol: string}[],
 *   constants: Object<string, any>}} PlannerData
 * @typedef {{profile: Profile, providers: string[], cores: number, tunnels: number | null,
 *   keep_free: number, rate: number | null, all_rate: number | null, link: number | null,
 *   both_ways: boolean, mtu: number, clock_hz: number | null, path_ns: number | "learned" | "none",
 *   peak: number | null, buffer: number | null}} Question
 *   Rates are in bits per second, the buffer is in bytes.
 * @typedef {{ns: Estimate, basis: string, operations: string[], provider: string,
 *   backend: string, fixed_share: number | null, setup_ns: number | null,
 *   streamed_ns: Estimate | null, keys: number, beyond: boolean}} PacketCost
 * @typedef {{mtu_bytes: number, payload_bytes: number, packet_bytes: number, link_bytes: number,
 *   fragmented_share: number, largest_bytes: number | null}} OnWire
 * @typedef {Object<string, any>} Answer
 */

const capacity = (() => {
  // Estimates: ciphermark/statistics/estimate.py.

  /** @param {Estimate} it */
  const halfOf = (it) => (it.low === null || it.high === null ? null : (it.high - it.low) / 2);

  /** @type {(value: number, half: number | null) => Estimate} */
  const ofCost = (value, half) =>
    half === null
      ? { value, low: null, high: null }
      : { value, low: Math.max(0, value - half), high: value + half };

  /** @type {(value: number) => Estimate} */
  const exact = (value) => ({ value, low: value, high: value });

  /** @type {(it: Estimate, change: (end: number) => number) => Estimate} */
  const mapped = (it, change) => ({
    value: change(it.value),
    low: it.low === null ? null : change(it.low),
    high: it.high === null ? null : change(it.high),
  });

  /** @type {(it: Estimate, factor: number) => Estimate} */
  const times = (it, factor) => mapped(it, (end) => end * factor);

  /** @param {Estimate[]} costs */
  function total(costs) {
    const halves = costs.map(halfOf);
    const value = sum(costs.map((it) => it.value));
    return ofCost(value, halves.includes(null) ? null : Math.hypot(...halves.map(Number)));
  }

  /** @type {(it: Estimate, share: number) => Estimate} */
  function wider(it, share) {
    const { value, low, high } = it;
    if (low === null || high === null || share === 0) return it;
    const least = value - Math.hypot(value - low, share * value);
    const most = value + Math.hypot(high - value, share * value);
    return { value, low: low >= 0 ? Math.max(0, least) : least, high: most };
  }

  /** @type {(it: Estimate, other: Estimate) => Estimate} */
  function by(it, other) {
    const value = it.value * other.value;
    if (it.low === null || it.high === null || other.low === null || other.high === null) {
      return { value, low: null, high: null };
    }
    /** @type {(end: number, itsEnd: number) => number} */
    const side = (end, itsEnd) =>
      Math.hypot((end - it.value) * other.value, (itsEnd - other.value) * it.value);
    const low = Math.max(0, value - side(it.low, other.low));
    return { value, low, high: value + side(it.high, other.high) };
  }

  /** @type {(cost: Estimate, amount: number) => Estimate} */
  const under = (cost, amount) => ({
    value: amount / cost.value,
    low: cost.high === null ? null : amount / cost.high,
    high: cost.low === null ? null : cost.low > 0 ? amount / cost.low : Infinity,
  });

  /** @type {(it: Estimate) => [number, number]} */
  const ends = (it) => [it.low ?? it.value, it.high ?? it.value];

  /** @param {number[]} values */
  const sum = (values) => values.reduce((all, it) => all + it, 0);

  /**
   * All of them; null where one is missing.
   * @template T
   * @param {(T | null | undefined)[]} values
   * @returns {T[] | null}
   */
  function complete(values) {
    const known = values.filter((it) => it !== null && it !== undefined);
    return known.length === values.length ? /** @type {T[]} */ (known) : null;
  }

  /**
   * The first of the least.
   * @template T
   * @param {T[]} every
   * @param {(it: T) => number} cost
   * @returns {T | null}
   */
  function least(every, cost) {
    /** @type {T | null} */
    let found = null;
    for (const it of every) if (found === null || cost(it) < cost(found)) found = it;
    return found;
  }

  // Profiles: ciphermark/plan/profile.py.

  /**
   * @typedef {[number, number][]} Lengths  Each length with its share.
   * @typedef {{lengths: Lengths, mean: number, largest: number, known: Map<string, any>}} Mix
   */

  const MOST_REMEMBERED = 1000;

  /** @type {WeakMap<Profile, Mix>} */
  const mixes = new WeakMap();

  /** @type {(profile: Profile) => Mix} */
  function mixOf(profile) {
    const known = mixes.get(profile);
    if (known) return known;
    const weight = sum(profile.parts.map((part) => part[2]));
    /** @type {Lengths} */
    const lengths = [];
    for (const [low, high, own] of profile.parts) {
      const share = own / weight / (high - low + 1);
      for (let length = low; length <= high; length += 1) lengths.push([length, share]);
    }
    const mix = {
      lengths,
      mean: sum(profile.parts.map(([low, high, own]) => (own * (low + high)) / 2)) / weight,
      largest: Math.max(...profile.parts.map((part) => part[1])),
      known: new Map(),
    };
    mixes.set(profile, mix);
    return mix;
  }

  /**
   * Answers from a run.
   * @param {PlannerData} data
   * @param {Run} run
   * @param {Question} question
   */
  function answering(data, run, question) {
    const constants = data.constants;
    const mix = mixOf(question.profile);
    const hz = question.clock_hz ?? run.clock_hz;
    /** By which every cost grows that was measured at the clock of the run. */
    const slower = hz !== null && run.clock_hz !== null ? run.clock_hz / hz : 1;
    const kind = question.clock_hz === null ? run.kind : "predicted";
    const error = run.error + (question.clock_hz === null ? 0 : constants.other_clock_error);

    // Costs by size: answers/capacity/size_costs.py.

    /** @type {(costs: SizeCosts, lengths: Lengths) => Estimate} */
    function mean(costs, lengths) {
      let value = 0;
      const ofSizes = costs.bytes.map(() => 0);
      /** @type {Object<number, number>} */
      const ofGaps = {};
      for (const [length, share] of lengths) {
        const { weights, gap, bend } = line(costs, length);
        for (const [place, weight] of weights) {
          value += share * weight * costs.ns[place];
          ofSizes[place] += share * weight;
        }
        ofGaps[gap] = (ofGaps[gap] ?? 0) + share * bend;
      }
      const halves = ofSizes.map((weight, place) => weight * costs.half[place]);
      return times(ofCost(value, Math.hypot(...halves, ...Object.values(ofGaps))), slower);
    }

    /**
     * The measured sizes that a length is computed from, each with its weight; the number of the
     * gap; and half of the width of what the line misses.
     * @param {SizeCosts} costs
     * @param {number} length
     * @returns {{weights: [number, number][], gap: number, bend: number}}
     */
    function line(costs, length) {
      const sizes = costs.bytes;
      let gap = sizes.findIndex((size) => size >= length);
      if (gap < 0) gap = sizes.length;
      if (sizes[gap] === length) return { weights: [[gap, 1]], gap: -1, bend: 0 };
      if (sizes.length === 1) {
        const share = length / sizes[0];
        const apart = (Math.abs(share - 1) / 2) * costs.ns[0];
        const bend = apart + share * missed(costs, 0, 0, 1);
        return { weights: [[0, (1 + share) / 2]], gap, bend };
      }
      const last = Math.min(Math.max(gap, 1), sizes.length - 1);
      const share = Math.max(0, (length - sizes[last - 1]) / (sizes[last] - sizes[last - 1]));
      const outside = Math.max(1, length / sizes[sizes.length - 1]);
      const bend = outside * missed(costs, last - 1, last, share);
      return { weights: [[last - 1, 1 - share], [last, share]], gap, bend };
    }

    /** @type {(costs: SizeCosts, first: number, last: number, share: number) => number} */
    function missed(costs, first, last, share) {
      const bend = costs.bend * ((1 - share) * costs.ns[first] + share * costs.ns[last]);
      if (first === last) return bend;
      const bytes = costs.bytes[last] - costs.bytes[first];
      const steep = (costs.ns[last] - costs.ns[first]) / bytes;
      return Math.hypot(bend, Math.max(0, steep) * constants.block_bytes);
    }

    /** @type {(costs: SizeCosts, lengths: Lengths) => boolean} */
    const covers = (costs, lengths) =>
      lengths.every(([it]) => costs.bytes[0] <= it && it <= costs.bytes[costs.bytes.length - 1]);

    /** @type {(ns: Estimate) => Estimate} */
    function mixing(ns) {
      const shares = mix.lengths.map((it) => it[1]).filter((it) => it > 0);
      const bits = Math.min(constants.most_bits, -sum(shares.map((it) => it * Math.log2(it))));
      if (bits <= 0) return ns;
      if (hz === null) return wider(ns, constants.unknown_clock_share);
      const wrong = ofCost(constants.cycles_per_bit * bits, constants.half_cycles * Math.sqrt(bits));
      return wider(total([ns, times(wrong, 1e9 / hz)]), constants.mixed_share);
    }

    /** @type {(fixed: (number | null)[], whole: number) => number | null} */
    function fixedShare(fixed, whole) {
      const known = complete(fixed);
      return known && Math.min(1, (sum(known) * slower) / whole);
    }

    // The cost of a packet: answers/capacity/packet_cost.py.

    /** @type {(name: string, tunnels: number) => Candidate[]} */
    function candidates(name, tunnels) {
      const near = (run.implementations[name] ?? []).map((byKeys) =>
        least(byKeys, (it) => Math.abs(Math.log(it.keys / tunnels))),
      );
      return near.filter((it) => it !== null && Object.keys(it.operations).length > 0)
        .map((it) => /** @type {Candidate} */ (it));
    }

    /** @type {(it: Candidate, providers: string[]) => boolean} */
    const mayAnswer = (it, providers) => !providers.length || providers.includes(it.provider);

    /** Those of a library, where it has any; else all.
     * @type {<T extends {provider: string}>(library: string | null | undefined, found: T[]) => T[]} */
    function byLibrary(library, found) {
      const own = found.filter((it) => it.provider === library);
      return own.length ? own : found;
    }

    /** @param {Set<string>} there */
    function operations(there) {
      const first = constants.sending.find((/** @type {string} */ it) => there.has(it));
      if (first === undefined) return [];
      if (!question.both_ways) return [first];
      const back = constants.both_ways[first];
      return there.has(back) ? [first, back] : [];
    }

    function isSame() {
      const known = run.lengths[question.profile.name];
      if (!known) return false;
      const near = Math.abs(known[0] / Math.max(mix.mean, 1) - 1) < constants.same_profile_share;
      return near && known[1] <= mix.largest;
    }

    /** @type {(candidate: Candidate, wanted: string[]) => PacketCost | null} */
    function packetCost(candidate, wanted) {
      const found = wanted.map((it) => candidate.operations[it]);
      const own = isSame() ? complete(found.map((it) => it?.profiles[question.profile.name])) : null;
      const bySize = complete(found.map((it) => it?.hot));
      const streamed = complete(found.map((it) => it?.stream));
      if (own === null && bySize === null) return null;
      const means = bySize && bySize.map((it) => mean(it, mix.lengths));
      const ns = own
        ? own.map(([value, half]) => times(ofCost(value, half), slower))
        : (means ?? []).map(mixing);
      return {
        ns: total(ns),
        basis: own ? "profile" : "sizes",
        operations: wanted,
        provider: candidate.provider,
        backend: candidate.backend,
        fixed_share:
          bySize && means &&
          fixedShare(bySize.map((it) => it.fixed_ns), sum(means.map((it) => it.value))),
        setup_ns: candidate.setup_ns === null ? null : candidate.setup_ns * slower,
        streamed_ns: streamed && total(streamed.map((it) => mean(it, mix.lengths))),
        keys: candidate.keys,
        beyond: !own && !(bySize ?? []).every((it) => covers(it, mix.lengths)),
      };
    }

    /** @type {(parts: PacketCost[]) => PacketCost} */
    function together(parts) {
      const setups = complete(parts.map((it) => it.setup_ns));
      const streamed = complete(parts.map((it) => it.streamed_ns));
      const shares = complete(parts.map((it) => it.fixed_share));
      const whole = sum(parts.map((it) => it.ns.value));
      return {
        ns: total(parts.map((it) => it.ns)),
        basis: parts.some((it) => it.basis === "sizes") ? "sizes" : parts[0].basis,
        operations: parts.flatMap((it) => it.operations),
        provider: [...new Set(parts.map((it) => it.provider))].join(" + "),
        backend: [...new Set(parts.map((it) => it.backend))].join(" + "),
        fixed_share:
          shares && sum(shares.map((share, place) => share * parts[place].ns.value)) / whole,
        setup_ns: setups && sum(setups),
        streamed_ns: streamed && total(streamed),
        keys: Math.min(...parts.map((it) => it.keys)),
        beyond: parts.some((it) => it.beyond),
      };
    }

    /** @type {(found: Candidate[], wanted: string[]) => PacketCost | null} */
    function cheapest(found, wanted) {
      const costs = found.map((it) => packetCost(it, wanted)).filter((it) => it !== null);
      return least(/** @type {PacketCost[]} */ (costs), (it) => it.ns.value);
    }

    /** @type {(name: string, providers: string[]) => PacketCost | null} */
    function wholeCost(name, providers) {
      const every = candidates(name, question.tunnels ?? 1);
      const may = every.filter((it) => mayAnswer(it, providers));
      const found = byLibrary(run.suites[name]?.library, may);
      const wanted = operations(new Set(found.flatMap((it) => Object.keys(it.operations))));
      if (!wanted.length) return null;
      let cost = cheapest(found, wanted);
      if (cost === null && wanted.length > 1) {
        const each = complete(wanted.map((it) => cheapest(found, [it])));
        cost = each && together(each);
      }
      return cost && (kind === "measured" ? cost : { ...cost, basis: kind });
    }

    /** @type {(name: string, wanted: string[], lengths: Lengths, providers: string[])
     *   => {ns: Estimate, candidate: Candidate, fixed_ns: number | null} | null} */
    function cheapestPart(name, wanted, lengths, providers) {
      const found = candidates(name, 1)
        .filter((it) => mayAnswer(it, providers))
        .flatMap((candidate) =>
          wanted.flatMap((operation) => {
            const costs = candidate.operations[operation]?.hot;
            return costs
              ? [{ ns: mean(costs, lengths), candidate, fixed_ns: costs.fixed_ns }]
              : [];
          }),
        );
      return least(found, (it) => it.ns.value);
    }

    /** By the fastest library that has both parts.
     * @type {(suite: Suite, providers: string[], itsError: number) => PacketCost | null} */
    function sumOfParts(suite, providers, itsError) {
      const libraries = candidates(suite.cipher, 1)
        .map((it) => it.provider)
        .filter((it) => !providers.length || providers.includes(it));
      const sums = [...new Set(libraries)].map((it) => sumOf(suite, [it], itsError));
      const found = /** @type {PacketCost[]} */ (sums.filter((it) => it !== null));
      return least(byLibrary(suite.library, found), (it) => it.ns.value);
    }

    /** @type {(suite: Suite, providers: string[], itsError: number) => PacketCost | null} */
    function sumOf(suite, providers, itsError) {
      const wanted = question.both_ways ? ["seal", "open"] : ["seal"];
      const around = suite.framing.header_bytes + suite.framing.iv_bytes;
      /** @type {Lengths} */
      const encrypted = mix.lengths.map(([n, share]) => [filledBytes(suite.framing, n), share]);
      const found = wanted.map((it) =>
        cheapestPart(suite.cipher, constants.cipher_operations[it], encrypted, providers),
      );
      if (suite.integrity !== null) {
        const integrity = suite.integrity;
        /** @type {Lengths} */
        const authenticated = encrypted.map(([n, share]) => [around + n, share]);
        found.push(
          ...wanted.map((it) =>
            cheapestPart(integrity, constants.mac_operations[it], authenticated, providers),
          ),
        );
      }
      const parts = complete(found);
      if (parts === null) return null;
      const used = parts.map((it) => it.candidate);
      const setups = complete(
        used.filter((_, place) => place % wanted.length === 0).map((it) => it.setup_ns),
      );
      return {
        ns: wider(total(parts.map((it) => it.ns)), itsError),
        basis: "parts",
        operations: wanted,
        provider: providers[0],
        backend: [...new Set(used.map((it) => it.backend))].join(" + "),
        fixed_share: fixedShare(
          parts.map((it) => it.fixed_ns),
          sum(parts.map((it) => it.ns.value)),
        ),
        setup_ns: setups && sum(setups) * slower,
        streamed_ns: null,
        keys: 1,
        beyond: false,
      };
    }

    /** Of sums of parts, as a share: by the suites that were measured both ways. */
    function partsError() {
      const errors = Object.entries(run.suites).flatMap(([name, suite]) => {
        const measured = wholeCost(name, []);
        const parts = measured && sumOfParts(suite, [], 0);
        return measured && parts ? [parts.ns.value / measured.ns.value - 1] : [];
      });
      if (!errors.length) return constants.usual_error;
      const usual = (constants.usual_error / constants.normal) ** 2;
      const meanSquare = (sum(errors.map((it) => it ** 2)) + usual) / (errors.length + 1);
      return constants.normal * Math.sqrt(meanSquare);
    }

    /** @type {(name: string, suite: Suite | null) => PacketCost | null} */
    function costOf(name, suite) {
      const whole = wholeCost(name, question.providers);
      if (whole !== null || suite === null) return whole;
      return sumOfParts(suite, question.providers, partsError());
    }

    /** What depends on the traffic and not on cores, links and rates is computed once.
     * @type {<T>(what: string, name: string, compute: () => T) => T} */
    function remembered(what, name, compute) {
      const { providers, tunnels, both_ways, clock_hz, mtu } = question;
      const key = [what, run.run, name, providers, tunnels, both_ways, clock_hz, mtu].join("|");
      if (!mix.known.has(key)) {
        if (mix.known.size >= MOST_REMEMBERED) mix.known.clear();
        mix.known.set(key, compute());
      }
      return mix.known.get(key);
    }

    // On the wire: answers/capacity/framing.py.

    /** @type {(framing: Framing, bytes: number) => number} */
    const filledBytes = (framing, bytes) =>
      Math.ceil((bytes + framing.trailer_bytes) / framing.pad_to) * framing.pad_to;

    /** @type {(framing: Framing, bytes: number) => number} */
    const wireBytes = (framing, bytes) =>
      framing.outer_bytes + framing.header_bytes + framing.iv_bytes + framing.icv_bytes +
      filledBytes(framing, bytes);

    /** @type {(bytes: number) => number} */
    const ethernet = (bytes) =>
      Math.max(bytes, constants.shortest_ethernet_bytes) + constants.ethernet_on_wire_bytes;

    /** @type {(bytes: number) => number[]} */
    function fragments(bytes) {
      if (bytes <= question.mtu) return [bytes];
      const header = constants.ip_header_bytes;
      const step = constants.fragment_step_bytes;
      const whole = Math.floor((question.mtu - header) / step) * step;
      const count = Math.ceil((bytes - header) / whole);
      const rest = bytes - header - (count - 1) * whole;
      return [...Array(count - 1).fill(whole + header), rest + header];
    }

    /** @type {(suite: Suite, sealed: number) => [number, number, number]} */
    function carried(suite, sealed) {
      if (suite.carried === "datagrams") {
        const packets = fragments(sealed);
        return [sum(packets), sum(packets.map(ethernet)), packets.length];
      }
      if (suite.carried === "stream") {
        const headers = constants.ip_header_bytes + constants.tcp_header_bytes;
        const segments = sealed / (question.mtu - headers);
        const sent = sealed + headers * segments;
        return [sent, sent + constants.ethernet_on_wire_bytes * segments, 1];
      }
      if (suite.carried === "frames") {
        return [sealed, ethernet(sealed - constants.ethernet_type_bytes), 1];
      }
      return [sealed, sealed, 1];
    }

    /** @type {(suite: Suite) => OnWire} */
    function onWire(suite) {
      let [packet, link, fragmented] = [0, 0, 0];
      for (const [length, share] of mix.lengths) {
        const [sent, onLink, pieces] = carried(suite, wireBytes(suite.framing, length));
        packet += share * sent;
        link += share * onLink;
        fragmented += pieces > 1 ? share : 0;
      }
      return {
        mtu_bytes: question.mtu,
        payload_bytes: mix.mean,
        packet_bytes: packet,
        link_bytes: link,
        fragmented_share: fragmented,
        largest_bytes: suite.carried === "datagrams" ? largest(suite.framing) : null,
      };
    }

    /** @type {(framing: Framing) => number | null} */
    function largest(framing) {
      for (let bytes = question.mtu; bytes >= 0; bytes -= 1) {
        if (wireBytes(framing, bytes) <= question.mtu) return bytes;
      }
      return null;
    }

    // Cores: workloads/core_rate.py.

    /** @type {(cores: number, factors: Plain["factors"]) => {cores: number, factor: Estimate,
     *   basis: string, largest_measured: number | null}} */
    function speedUp(cores, factors) {
      if (cores === 1) return { cores, factor: exact(1), basis: "one core", largest_measured: null };
      const measured = Object.keys(factors).map(Number).sort((one, other) => one - other);
      if (measured.length) return byMeasured(cores, factors, measured);
      return { cores, factor: assumed(cores), basis: "assumed", largest_measured: null };
    }

    /** @type {(cores: number, factors: Plain["factors"], measured: number[])
     *   => ReturnType<typeof speedUp>} */
    function byMeasured(cores, factors, measured) {
      const largest_measured = measured[measured.length - 1];
      if (measured.includes(cores)) {
        const [value, low, high] = factors[cores];
        return { cores, factor: { value, low, high }, basis: "measured", largest_measured };
      }
      const below = measured.filter((it) => it < cores);
      const near = below.length ? below[below.length - 1] : measured[0];
      const [value, lowest] = factors[near];
      const share = (value - 1) / (near - 1);
      const factor = {
        value: 1 + share * (cores - 1),
        low: 1 + (Math.min(share, (lowest - 1) / (near - 1)) / 2) * (cores - 1),
        high: 1 + Math.max(1, share) * (cores - 1),
      };
      return { cores, factor, basis: "extrapolated", largest_measured };
    }

    /** @type {(cores: number) => Estimate} */
    function assumed(cores) {
      const physical = run.physical_cores || cores;
      const whole = Math.min(cores, physical);
      const siblings = Math.max(0, cores - physical);
      const [usual, lowest, most] = constants.sibling;
      return {
        value: whole + siblings * usual,
        low: 1 + (whole - 1) * constants.further_core_least + siblings * lowest,
        high: whole + siblings * most,
      };
    }

    // The data path: answers/capacity/path.py.

    /** @type {(name: string | null) => Answer | null} */
    function pathCost(name) {
      if (question.path_ns === "none") return null;
      if (question.path_ns !== "learned") {
        const ns = question.path_ns;
        const source = "--path-cost";
        return {
          ns: exact(ns),
          fixed_ns: ns,
          kind: "told",
          source,
          is_whole: true,
          has_cryptography: false,
        };
      }
      const learned = name === null ? null : run.paths[name];
      if (!learned || (question.clock_hz !== null && learned.hz === null)) return null;
      const factor = question.clock_hz === null ? 1 : Number(learned.hz) / question.clock_hz;
      let ns = wider(times(pathAt(learned, mix.mean), factor), constants.model_share);
      if (question.clock_hz !== null) ns = wider(ns, constants.other_clock_error);
      return {
        ns,
        fixed_ns: Math.min(pathAt(learned, 0).value * factor, ns.value),
        kind: learned.kind,
        source: learned.source,
        is_whole: learned.is_whole,
        has_cryptography: learned.has_cryptography,
      };
    }

    /** @type {(path: Path, bytes: number) => Estimate} */
    function pathAt(path, bytes) {
      const place = path.ends.slice(1, -1).filter(([near]) => near < bytes).length;
      const [[near, low, lowHalf], [far, high, highHalf]] = path.ends.slice(place);
      const share = (bytes - near) / (far - near);
      const value = Math.max(0, (1 - share) * low + share * high);
      if (lowHalf === null || highHalf === null) return ofCost(value, null);
      return ofCost(value, Math.hypot((1 - share) * lowHalf, share * highHalf));
    }

    // Keys: answers/capacity/keys.py.

    /** @type {(limits: Limit[], packets: number, bytes: number, setup: number | null)
     *   => Answer | null} */
    function keyLife(limits, packets, bytes, setup) {
      if (!limits.length || !packets) return null;
      /** @param {Limit} limit */
      const lasts = (limit) =>
        Math.min(
          ...[[limit.packets, packets], [limit.bytes, bytes], [limit.seconds, 1]].map(
            ([amount, rate]) => (amount === null || !rate ? Infinity : amount / rate),
          ),
        );
      const limit = /** @type {Limit} */ (least(limits, lasts));
      const seconds = lasts(limit);
      const rekeys = (question.tunnels || question.cores) / seconds;
      return {
        seconds,
        limit,
        rekeys_per_second: rekeys,
        cpu_share: setup === null ? null : rekeys * setup * 1e-9,
        hurried: seconds < constants.hurried_s,
      };
    }

    // Bursts: answers/capacity/bursts.py.

    /** What bursts do to a tunnel that is served at a rate; of heavy tails, which are simulated, the
     * rates alone.
     * @type {(served: number) => Answer | null} */
    function burstsOf(served) {
      const { peak, buffer } = question;
      const source = question.profile.bursts;
      if (source === null || (peak === null && buffer === null)) return null;
      const h = peak ?? source.peak_bits_per_second;
      const on = source.mean_on_s;
      const meanRate = (h * on) / (on + source.off_s);
      const found = {
        method: source.kind === "on-off" || served >= h ? "closed form" : "simulation",
        peak_bits_per_second: h,
        mean_bits_per_second: meanRate,
        served_bits_per_second: served,
        load: meanRate / served,
        late_delay_s: null,
        buffer_bytes: null,
        lost_for_buffer: constants.lost_share,
        given_buffer_bytes: buffer,
        lost: null,
      };
      if (served >= h) {
        return { ...found, late_delay_s: plain(0), buffer_bytes: plain(0), lost: buffer === null ? null : plain(0) };
      }
      if (found.method === "simulation") return found;
      const z = 1 / (on * (h - served)) - 1 / (source.off_s * served);
      const needed = bufferBits(z, (h - served) * on, (h - served) / h);
      return {
        ...found,
        late_delay_s: z > 0 ? plain(Math.log(1 / constants.late_share) / (z * served)) : null,
        buffer_bytes: needed === null ? null : plain(needed / 8),
        lost: buffer === null ? null : plain(lostShare(z, (h - served) * on, (h - served) / h, 8 * buffer)),
      };
    }

    /** @type {(value: number) => Estimate} */
    const plain = (value) => ({ value, low: null, high: null });

    /** @type {(z: number, waiting: number, atOnce: number, bits: number) => number} */
    function lostShare(z, waiting, atOnce, bits) {
      if (z * bits > constants.largest_exponent) return 0;
      const filled = Math.abs(z * bits) < constants.nearly_one ? bits : Math.expm1(z * bits) / z;
      return (atOnce * waiting) / (filled + waiting);
    }

    /** @type {(z: number, waiting: number, atOnce: number) => number | null} */
    function bufferBits(z, waiting, atOnce) {
      if (constants.lost_share >= atOnce) return 0;
      const filled = waiting * (atOnce / constants.lost_share - 1);
      if (Math.abs(z * filled) < constants.nearly_one) return filled;
      return z * filled > -1 ? Math.log1p(z * filled) / z : null;
    }

    // Answers: answers/capacity/answer.py.

    /** @type {(each: number, wanted: number) => number} */
    const wholeTunnels = (each, wanted) => Math.floor(Math.round((each / wanted) * 1e9) / 1e9);

    /** @type {(low: number, high: number, wanted: number) => boolean | null} */
    function reaches(low, high, wanted) {
      if (Math.min(low, high) >= wanted) return true;
      return Math.max(low, high) < wanted ? false : null;
    }

    /** @typedef {{flow: Estimate, cpu: Estimate, link: number | null, total: Estimate}} Rates */

    /** @type {(ns: Estimate, factor: Estimate, wire: OnWire | null) => Rates} */
    function ratesOf(ns, factor, wire) {
      const flow = under(ns, 1e9 * (1 - question.keep_free));
      const cpu = by(flow, factor);
      if (question.link === null) return { flow, cpu, link: null, total: cpu };
      const link = question.link / (8 * (wire === null ? mix.mean : wire.link_bytes));
      return { flow, cpu, link, total: mapped(cpu, (end) => Math.min(end, link)) };
    }

    /** @type {(cost: PacketCost, rates: Rates, used: number) => string} */
    function limitOf(cost, rates, used) {
      if (rates.link !== null && rates.link < rates.cpu.value) return "link";
      if (used < question.cores) return "cores: one for each tunnel";
      if (cost.streamed_ns && cost.ns.value < constants.mostly * cost.streamed_ns.value) {
        return "memory bandwidth";
      }
      if (cost.fixed_share === null) return "cores";
      return cost.fixed_share > constants.mostly ? "fixed cost per packet" : "bytes";
    }

    /** @type {(rates: Rates, ns: Estimate, factor: Estimate) => Answer | null} */
    function heldBy(rates, ns, factor) {
      const { rate } = question;
      if (rate === null) return null;
      const payload = 8 * mix.mean;
      const factors = [factor.value, ...ends(factor)];
      const byCores = [rates.flow.value, ...ends(rates.flow)].map((flow, place) =>
        Math.floor(factors[place] * wholeTunnels(payload * flow, rate)),
      );
      const byLink = rates.link === null ? Infinity : wholeTunnels(payload * rates.link, rate);
      const [tunnels, tunnels_low, most] = byCores.map((it) => Math.min(it, byLink));
      return {
        rate_bits_per_second: rate,
        cpu_share: times(ns, (rate / payload) * 1e-9),
        tunnels,
        tunnels_low,
        tunnels_high: Number.isFinite(most) ? most : null,
        limit: byLink < byCores[0] ? "link" : byCores[0] === 0 ? "one core" : "cores",
      };
    }

    /** @type {(rates: Rates, busy: Estimate, held: Answer | null) => Answer | null} */
    function demandOf(rates, busy, held) {
      const payload = 8 * mix.mean;
      const { tunnels, rate: each } = question;
      let rate = question.all_rate;
      if (rate === null && tunnels !== null && each !== null) rate = tunnels * each;
      const of_link = rate === null && each === null && rates.link !== null;
      if (of_link) rate = payload * Number(rates.link);
      if (rate === null) return null;
      const packets = rate / payload;
      let enough = reaches(...ends(rates.cpu), packets);
      if (held !== null && tunnels !== null) {
        enough = reaches(held.tunnels_low, held.tunnels_high ?? Infinity, tunnels);
      } else if (rates.link !== null && !of_link && rates.link < packets) {
        enough = false;
      }
      return {
        rate_bits_per_second: rate,
        tunnels,
        of_link,
        cores: times(busy, packets * 1e-9),
        headroom: times(rates.cpu, 1 / packets),
        enough,
      };
    }

    /** @type {(cost: PacketCost, ns: Estimate, path: Answer) => [PacketCost, Estimate]} */
    function withPath(cost, ns, path) {
      const ways = cost.operations.length;
      const added = times(path.ns, ways);
      const has = path.has_cryptography;
      /** @type {(suite: Estimate) => Estimate} */
      const withSuite = (suite) => (has ? added : total([suite, added]));
      const whole = withSuite(ns);
      const fixed = cost.fixed_share;
      const ofSuite = has || fixed === null ? 0 : fixed * ns.value;
      const changed = {
        ...cost,
        ns: withSuite(cost.ns),
        fixed_share: fixed === null ? null : (ofSuite + ways * path.fixed_ns) / whole.value,
        streamed_ns: has ? null : cost.streamed_ns && withSuite(cost.streamed_ns),
      };
      return [changed, whole];
    }

    /**
     * What a suite, or a plain algorithm, carries; null where nothing is known of it.
     * @param {string} name
     * @returns {Answer | null}
     */
    function answer(name) {
      const suite = run.suites[name] ?? null;
      const known = suite ?? run.plain[name];
      const alone = known && remembered("cost", name, () => costOf(name, suite));
      if (!alone) return null;
      const wire = suite && remembered("wire", name, () => onWire(suite));
      const tunnels = question.tunnels ?? question.cores;
      const used = Math.min(question.cores, tunnels);
      const more = speedUp(used, known.factors);
      const path = pathCost(known.path);
      const ownNs = wider(alone.ns, error);
      const [cost, ns] = path === null ? [alone, ownNs] : withPath(alone, ownNs, path);
      const rates = ratesOf(ns, more.factor, wire);
      const payload = 8 * mix.mean;
      const [low, high] = ends(rates.total).map((end) => end * payload);
      const [packets_low, packets_high] = ends(rates.total);
      const each =
        question.rate === null
          ? Math.min(rates.flow.value, rates.total.value / tunnels)
          : question.rate / payload;
      const busy = used / more.factor.value;
      const held = heldBy(rates, ns, more.factor);
      const fromMemory =
        cost.streamed_ns && (rates.cpu.value * cost.ns.value) / cost.streamed_ns.value;
      return {
        suite: name,
        profile: question.profile.name,
        operations: cost.operations,
        provider: cost.provider,
        backend: cost.backend,
        basis: cost.basis,
        payload_bits_per_second: rates.total.value * payload,
        low,
        high,
        packets_per_second: rates.total.value,
        packets_low,
        packets_high,
        mean_packet_bytes: mix.mean,
        ns_per_packet: ns,
        path,
        cryptography_share: Math.min(1, ownNs.value / ns.value),
        wire_bits_per_second: wire && 8 * wire.link_bytes * rates.total.value,
        cores_per_gbit: times(ns, 1 / payload),
        flow: times(rates.flow, payload),
        cores_used: rates.total.value * ns.value * 1e-9 * busy,
        limit: limitOf(cost, rates, used),
        fixed_share: cost.fixed_share,
        speed_up: more,
        memory_bits_per_second:
          fromMemory && payload * (rates.link === null ? fromMemory : Math.min(fromMemory, rates.link)),
        on_wire: wire,
        held,
        demand: demandOf(rates, times(ns, busy), held),
        keys: cost.keys,
        key: keyLife(
          known.limits,
          each,
          each * (wire === null ? mix.mean : wire.packet_bytes),
          cost.setup_ns,
        ),
        lacks_keys:
          question.tunnels !== null && question.tunnels > constants.many_more * cost.keys,
        beyond: cost.beyond,
        parts_error: cost.basis === "parts" ? partsError() : null,
        bursts: burstsOf(each * payload),
      };
    }

    return answer;
  }

  /**
   * The same of rates that only rounding tells apart.
   * @param {number} rate
   */
  const alike = (rate) => Number(rate.toExponential(9));

  /**
   * The suite that carries most: answers/capacity/show.py.
   * @param {PlannerData} data
   * @param {Answer[]} answers
   * @returns {Answer | null}
   */
  function best(data, answers) {
    const ofTunnels = answers.filter((it) =>
      data.constants.tunnels.includes(it.suite.split(":")[0]),
    );
    const some = ofTunnels.length ? ofTunnels : answers;
    const withKeys = some.filter((it) => !it.lacks_keys);
    /** @type {Answer | null} */
    let found = null;
    for (const it of withKeys.length ? withKeys : some) {
      const more = found === null ? 1
        : alike(it.payload_bits_per_second) - alike(found.payload_bits_per_second);
      if (more > 0 || (more === 0 && it.cores_per_gbit.value < found?.cores_per_gbit.value)) found = it;
    }
    return found;
  }

  return { answering, best, mixOf };
})();
