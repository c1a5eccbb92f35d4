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

// The compiler checks this file: it must not accept a unit where another unit is required.

expectTypeOf<Bytes>().not.toExtend<MilliCpu>()
expectTypeOf<MilliCpu>().not.toExtend<Bytes>()
expectTypeOf<DurationMs>().not.toExtend<EpochMs>()
expectTypeOf<number>().not.toExtend<MicroUsdPerHour>()

/** The sum of two units is a plain number, which no function of units accepts. */
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
