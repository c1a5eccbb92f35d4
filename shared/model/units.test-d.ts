import { expectTypeOf } from 'vitest'
import {
  addPrices,
  type Bytes,
  bytes,
  type DurationMs,
  durationMs,
  type EpochMs,
  elapsed,
  epochMs,
  later,
  type MicroUsdPerHour,
  type MilliCpu,
  milliCpu,
} from './units.ts'

// Checked by the compiler with everything else: a unit that fits where another is wanted does not compile here.

expectTypeOf<Bytes>().not.toExtend<MilliCpu>()
expectTypeOf<MilliCpu>().not.toExtend<Bytes>()
expectTypeOf<DurationMs>().not.toExtend<EpochMs>()
expectTypeOf<number>().not.toExtend<MicroUsdPerHour>()

/** A sum of two units is a bare number, which no function of units takes. */
const sum = bytes(1) + milliCpu(1)
expectTypeOf<typeof sum>().not.toExtend<Bytes>()
expectTypeOf<typeof sum>().not.toExtend<MilliCpu>()
expectTypeOf(bytes).returns.toEqualTypeOf<Bytes>()

expectTypeOf(addPrices).parameter(1).toEqualTypeOf<MicroUsdPerHour>()
expectTypeOf<Bytes>().not.toExtend<Parameters<typeof addPrices>[1]>()
expectTypeOf<EpochMs>().not.toExtend<Parameters<typeof later>[1]>()
expectTypeOf<DurationMs>().not.toExtend<Parameters<typeof elapsed>[0]>()
expectTypeOf(later(epochMs(0), durationMs(1))).toEqualTypeOf<EpochMs>()
expectTypeOf(elapsed(epochMs(0), epochMs(1))).toEqualTypeOf<DurationMs>()
