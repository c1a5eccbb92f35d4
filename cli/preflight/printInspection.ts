import type { Finding } from '../../shared/engine/preflight/preflight.ts'
import type { ClusterFacts } from '../../shared/model/clusterFacts.ts'
import type { Problem } from '../../shared/model/problem.ts'
import type { InstallationCost } from '../cost/installationCost.ts'
import type { Inspection } from './inspect.ts'

/** Returns what is fine, then a line for each finding, then what was not checked, and what Joiner will cost. */
export function inspectionLines({ clusters, installation, unread, cost }: Inspection): readonly string[] {
  return [
    ...clusters.flatMap(({ facts, problem, findings }) => [
      ...(facts === undefined ? [] : [summary(facts)]),
      ...(problem === undefined ? [] : [problemLine(problem)]),
      ...findings.map(findingLine),
    ]),
    ...installation.map(findingLine),
    ...unread.map(({ what, why }) => `skip  ${what}: ${why}`),
    costLine(cost),
  ]
}

/** Returns the inspection for programs: `Finding` and `Problem` objects, and the facts of each cluster. */
export function inspectionJson({ clusters, installation, unread, providers, cost, failed }: Inspection): string {
  const shown = clusters.map(({ resourceId, facts, problem, findings }) => ({ resourceId, facts, problem, findings }))
  return JSON.stringify({ failed, clusters: shown, installation, unread, providers, cost }, undefined, 2)
}

function costLine({ idleUsdAMonth, usdAMachine }: InstallationCost): string {
  const [idle, machine] = [idleUsdAMonth.toFixed(0), usdAMachine.toFixed(3)]
  return `cost  idle $${idle} a month at list prices, and about $${machine} for each machine that comes and goes: docs/cost.md`
}

function problemLine({ code, message }: Problem): string {
  return `FAIL  ${code}   ${message}`
}

/** `FAIL  PREFLIGHT.STOPPED   shop: the cluster is stopped; run: az aks start ...`. */
function findingLine({ severity, code, message, remedy, object }: Finding): string {
  const what = /^(az|azd|npm|helm) /.test(remedy) ? `run: ${remedy}` : remedy
  return `${severity === 'fail' ? 'FAIL' : 'warn'}  ${code}   ${object.split('/').at(-1)}: ${message}; ${what}`
}

/** `ok    shop: Entra, OIDC issuer, workload identity, Kubernetes 1.34.2, azure overlay with cilium`: the requirements that a cluster meets. */
function summary({ resourceId, kubernetesVersion, network, entra, oidcIssuer, hasWorkloadIdentity }: ClusterFacts): string {
  const kind = [network.plugin, network.pluginMode].filter((word) => word !== '').join(' ')
  const has = [
    entra === undefined ? [] : 'Entra',
    oidcIssuer === undefined ? [] : 'OIDC issuer',
    hasWorkloadIdentity ? 'workload identity' : [],
    `Kubernetes ${kubernetesVersion}`,
    `${kind} with ${network.dataplane}`,
  ].flat()
  return `ok    ${resourceId.split('/').at(-1)}: ${has.join(', ')}`
}
