import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { CACHE, isBuilt } from '../../local/controlplane/binaries.ts'
import { findExistingHelm } from '../../local/helm/findHelm.ts'
import { leaveAuditRows } from './auditRows.ts'
import { leaveAzureRows } from './azureRows.ts'
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts'
import { TEST_TIMEOUT_MS } from './until.ts'

/** The Kubernetes of a scenario: the embedded one, or the published etcd, API server, scheduler and controllers. */
const CLUSTERS = ['embedded', 'real'] as const

/** Tests use a real control plane only if it is built: building takes minutes. */
const PLACES = { assets: process.env['KUBEBUILDER_ASSETS'], cache: CACHE }
export const IS_BUILT = isBuilt(PLACES) && findExistingHelm(PLACES) !== undefined
export const WHY_NOT = 'skipped: no programs of a control plane, or no Helm; npm run controlplane -- --build-only, npm run helm'

type Scenarios = (environment: () => Environment) => void

/** Declares the scenarios on the real control plane, which decides what is right. Where it is not built, they play on the embedded one. */
export function onCluster(title: string, scenarios: Scenarios, options: EnvironmentOptions = {}): void {
  onKind(IS_BUILT ? 'real' : 'embedded', title, scenarios, options)
}

/** Declares the scenarios on both kinds of cluster. They show that the embedded one is like the real one in what Joiner does most. */
export function onEachCluster(title: string, scenarios: Scenarios, options: EnvironmentOptions = {}): void {
  for (const kind of CLUSTERS) onKind(kind, title, scenarios, options)
}

/** Declares scenarios that only a real control plane can show. */
export function onRealCluster(title: string, scenarios: Scenarios, options: EnvironmentOptions = {}): void {
  onKind('real', title, scenarios, options)
}

/** The scenarios of a kind share one environment. */
function onKind(kind: (typeof CLUSTERS)[number], title: string, scenarios: Scenarios, options: EnvironmentOptions): void {
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
