import { ownValue } from '../../../base/values.ts'

/** The only period that a kubelet accepts without the feature gate. */
const USUAL_NS = 100_000_000
const LEAST_NS = 1_000_000
const MOST_NS = 1_000_000_000

const NS_BY_UNIT: { readonly [unit: string]: number } = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 }
const PART = /(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g

/**
 * Reports whether the kubelet of a minor version needs the gate CustomCPUCFSQuotaPeriod for this period, without which it exits. The gate is alpha
 * and off from 1.12, on from 1.36, locked from 1.37 and removed in 1.40, so it is only set where it is off. (kubernetes/kubernetes,
 * pkg/features/kube_features.go and pkg/kubelet/apis/config/validation of 1.29.15 to 1.36.1, read 2026-11.)
 */
export function needsQuotaPeriodGate(period: string, minor: number): boolean {
  return minor < 36 && nanoseconds(period) !== USUAL_NS
}

/**
 * Reports whether a kubelet accepts the period. With the gate it accepts 1 ms to 1 s. Without the gate it accepts only 100 ms, which lies in between.
 */
export function isTakenPeriod(period: string): boolean {
  const ns = nanoseconds(period)
  return ns >= LEAST_NS && ns <= MOST_NS
}

function nanoseconds(period: string): number {
  let total = 0
  for (const [, amount = '', unit = ''] of period.matchAll(PART)) total += Number(amount) * (ownValue(NS_BY_UNIT, unit) ?? 0)
  return Math.round(total)
}
