import { err, ok, type Result } from '../../shared/base/result.ts'
import { ownValue } from '../../shared/base/values.ts'

/** The state of a feature gate from the Kubernetes minor version `from` on. */
type Stage = { readonly from: number; readonly isOn: boolean; readonly isLocked?: true; readonly isGone?: true }

/**
 * The feature gates that a simulated kubelet understands. A kubelet exits if it is given a gate that is not listed here. Source:
 * kubernetes/kubernetes, pkg/features of 1.29.15, 1.30.14, 1.31.13, 1.32.9, 1.33.5, 1.34.2, 1.35.0 and 1.36.1, read 2026-11. The entries for
 * 1.37 and 1.40 are what 1.36.1 announces.
 */
const GATES: { readonly [name: string]: readonly Stage[] } = {
  CustomCPUCFSQuotaPeriod: [
    { from: 12, isOn: false },
    { from: 36, isOn: true },
    { from: 37, isOn: true, isLocked: true },
    { from: 40, isOn: true, isGone: true },
  ],
  DisableKubeletCloudCredentialProviders: [
    { from: 23, isOn: false },
    { from: 29, isOn: true },
    { from: 31, isOn: true, isLocked: true },
    { from: 33, isOn: true, isGone: true },
  ],
}

/** Returns a function that reports whether a gate is on, or the error that the kubelet of that minor version prints before it exits. */
export function readFeatureGates(said: readonly (readonly [string, string])[], minor: number): Result<(gate: string) => boolean, string> {
  for (const [name, value] of said) {
    const stage = stageOf(name, minor)
    if (stage === undefined || stage.isGone) return err(`unrecognized feature gate: ${name}`)
    if (!/^(true|false)$/.test(value)) return err(`invalid value of ${name}=${value}, err: must be true or false`)
    if (stage.isLocked && value !== String(stage.isOn))
      return err(`cannot set feature gate ${name} to ${value}, feature is locked to ${stage.isOn}`)
  }
  const values = new Map(said)
  return ok((gate) => (values.has(gate) ? values.get(gate) === 'true' : stageOf(gate, minor)?.isOn === true))
}

function stageOf(name: string, minor: number): Stage | undefined {
  return ownValue(GATES, name)?.findLast((stage) => minor >= stage.from)
}
