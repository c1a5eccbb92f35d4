import type { Result } from '../shared/base/result.ts'
import { type Finding, type PreflightWishes, preflight } from '../shared/engine/preflight/preflight.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import type { Problem } from '../shared/model/problem.ts'

export type PreflightDeps = {
  /** Reads one cluster by its resource id. */
  readonly facts: (resourceId: string) => Promise<Result<ClusterFacts, Problem>>
  readonly print: (line: string) => void
}

export type Inspection = {
  /** Of those clusters that could be read. */
  readonly facts: readonly ClusterFacts[]
  /** Something is in the way: nothing should be made. */
  readonly failed: boolean
}

/** Looks at clusters and changes nothing. Prints what is well, and a line for each finding. */
export async function inspectClusters(
  clusters: readonly string[],
  wishes: Partial<PreflightWishes>,
  { facts, print }: PreflightDeps,
): Promise<Inspection> {
  const seen: ClusterFacts[] = []
  let failed = false
  for (const resourceId of clusters) {
    const read = await facts(resourceId)
    if (!read.ok) {
      failed = true
      print(problemLine(read.error))
      continue
    }
    seen.push(read.value)
    const [, , own = ''] = resourceId.split('/')
    const findings = preflight(read.value, { ...wishes, network: wishes.network ?? 'public', subscriptionId: wishes.subscriptionId ?? own })
    failed ||= findings.some(({ severity }) => severity === 'fail')
    print(summary(read.value))
    for (const finding of findings) print(findingLine(finding))
  }
  return { facts: seen, failed }
}

/** The same as a command: its exit code, 1 where something fails. */
export async function runPreflight(clusters: readonly string[], wishes: Partial<PreflightWishes>, deps: PreflightDeps): Promise<0 | 1> {
  const { failed } = await inspectClusters(clusters, wishes, deps)
  return failed ? 1 : 0
}

export function problemLine({ code, message }: Problem): string {
  return `FAIL  ${code}   ${message}`
}

/** `FAIL  PREFLIGHT.STOPPED   shop: the cluster is stopped; run: az aks start ...`. */
export function findingLine({ severity, code, message, remedy, object }: Finding): string {
  const what = /^(az|azd|npm|helm) /.test(remedy) ? `run: ${remedy}` : remedy
  return `${severity === 'fail' ? 'FAIL' : 'warn'}  ${code}   ${object.split('/').at(-1)}: ${message}; ${what}`
}

/** `ok    shop: Entra, OIDC issuer, workload identity, Kubernetes 1.34.2, azure overlay with cilium`: what a cluster has of what is needed. */
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
