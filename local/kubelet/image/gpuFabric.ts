import { type BootFailure, bootFailure } from '../bootFailure.ts'

/**
 * Sizes whose GPUs talk over NVSwitch. Source: Azure/AgentBaker, FabricManagerGPUSizes of pkg/agent/datamodel/gpu_components.go, 2026-07-16.
 */
const SWITCHED: ReadonlySet<string> = new Set(
  [
    'nd96asr_v4 nd112asr_a100_v4 nd120asr_a100_v4 nd96amsr_a100_v4 nd112amsr_a100_v4 nd120amsr_a100_v4 nd96ams_a100_v4 nd96ams_v4',
    'nd46s_h100_v5 nd48s_h100_v5 nd50s_h100_v5 nd92is_h100_v5 nd96is_h100_v5 nd100is_h100_v5 nd92isr_h100_v5 nd96isr_h100_v5 nd100isr_h100_v5',
    'nd96is_h200_v5 nd96isr_h200_v5 nd96isrf_h200_v5',
  ].flatMap((line) => line.split(' ')),
)

export function isSwitched(size: string): boolean {
  return SWITCHED.has(bareName(size))
}

/** Sizes of the NC and NV series have no NVSwitch. Nothing is known of sizes that are in neither list. */
function hasNoSwitch(size: string): boolean {
  return /^n[cv]/.test(bareName(size))
}

function bareName(size: string): string {
  return size.toLowerCase().replace(/^standard_/, '')
}

/**
 * Without an NVSwitch, the fabric manager fails to start, and the scripts of the image end there: the kubelet is not started.
 * Source: cse_main.sh, 2026-08-21.
 */
export function fabricFailure(size: string, startsManager: boolean): BootFailure | undefined {
  if (!startsManager || !hasNoSwitch(size)) return undefined
  return bootFailure('provision', `nvidia-fabricmanager fails to start: ${size} has no NVSwitch, but GPU_NEEDS_FABRIC_MANAGER is true`)
}
