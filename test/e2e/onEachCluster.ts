import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { CACHE, isBuilt } from '../../local/controlplane/binaries.ts'
import { findExistingHelm } from '../../local/helm/findHelm.ts'
import { leaveAuditRows } from './auditRows.ts'
import { leaveAzureRows } from './azureRows.ts'
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts'
import { TEST_TIMEOUT_MS } from './until.ts'

/** The Kubernetes of a scenario: the embedded one, or the published etcd, API server, scheduler and controllers. */
export const CLUSTERS = ['embedded', 'real'] as const
export type ClusterKind = (typeof CLUSTERS)[number]

/** Tests use a real control plane only if it is built: building takes minutes. */
const PLACES = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
export const IS_BUILT = isBuilt(PLACES) && findExistingHelm(PLACES) !== undefined
export const WHY_NOT = 'skipped: no programs of a control plane, or no Helm; npm run controlplane -- --build-only, npm run helm'

/** Declares the scenarios for every kind of cluster. The scenarios of a kind share one environment. */
export function onEachCluster(title: string, scenarios: (environment: () => Environment) => void, options: EnvironmentOptions = {}): void {
  for (const kind of CLUSTERS) onCluster(kind, title, scenarios, options)
}

/** Declares scenarios that only one kind of cluster can show. */
export function onCluster(
  kind: ClusterKind,
  title: string,
  scenarios: (environment: () => Environment) => void,
  options: EnvironmentOptions = {},
): void {
  const runs = kind === 'embedded' || IS_BUILT
  describe.skipIf(!runs)(`${title}, on ${kind} Kubernetes${runs ? '' : ` (${WHY_NOT})`}`, { timeout: TEST_TIMEOUT_MS }, () => {
    let environment: Environment | undefined
    const running = (): Environment => {
      if (environment === undefined) throw new Error('the environment has not started')
      return environment
    }
    beforeAll(async () => {
      const testFile = expect.getState().testPath ?? ''
      environment = await startEnvironment({
        ...options,
        isReal: kind === 'real',
        onAudit: (plane) => leaveAuditRows(testFile, plane),
        onAzureAudit: (rows) => leaveAzureRows(testFile, rows),
      })
    }, TEST_TIMEOUT_MS)
    afterAll(() => environment?.close(), TEST_TIMEOUT_MS)
    beforeEach(() => running().begin(), TEST_TIMEOUT_MS)
    scenarios(running)
  })
}
