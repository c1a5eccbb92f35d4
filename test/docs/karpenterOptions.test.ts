import { describe, expect, it } from 'vitest'
import { read } from './pages.ts'

/** The environment variables of Karpenter 1.15.0, from `pkg/operator/options/options.go`. */
const OPTIONS = `BATCH_IDLE_DURATION BATCH_MAX_DURATION CPU_REQUESTS DISABLE_CLUSTER_STATE_OBSERVABILITY DISABLE_CONTROLLER_WARMUP
  DISABLE_LEADER_ELECTION ENABLE_PROFILING FEATURE_GATES HEALTH_PROBE_PORT IGNORE_DRA_REQUESTS KARPENTER_SERVICE KUBE_CLIENT_BURST KUBE_CLIENT_QPS
  LEADER_ELECTION_NAME LEADER_ELECTION_NAMESPACE LEGACY_NODE_REPAIR LOG_ERROR_OUTPUT_PATHS LOG_LEVEL LOG_OUTPUT_PATHS MEMORY_LIMIT METRICS_PORT
  MIN_VALUES_POLICY PREFERENCE_POLICY SCHEDULER_CONFIG`.split(/\s+/)
const GATES =
  `NodeRepair ReservedCapacity SpotToSpotConsolidation NodeOverlay StaticCapacity CapacityBuffer TerminateFirstDrift TerminateFirstRepair
  PodDeletionCostManagement`.split(/\s+/)

const pages = ['docs/migrate.md', 'docs/compare.md'].map(read).join('\n')

describe('each option and each gate of Karpenter 1.15', () => {
  it.each([...OPTIONS, ...GATES])('%s stands on one of the pages', (name) => {
    expect(pages).toContain(`\`${name}\``)
  })
})
