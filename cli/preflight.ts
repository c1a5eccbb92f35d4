import type { Result } from '../shared/base/result.ts'
import { type Finding, type PreflightWishes, preflight } from '../shared/engine/preflight/preflight.ts'
import type { ClusterFacts } from '../shared/model/clusterFacts.ts'
import type { Problem } from '../shared/model/problem.ts'

export type PreflightDeps = {
  /** Reads one cluster by its resource id. */
  readonly facts: (resourceId: string) => Promise<Result<ClusterFacts, Problem>>
  readonly print: (line: string) => void
}

/** Looks at clusters and changes nothing. Prints a line for each finding; gives the exit code, 1 where something fails. */
export async function runPreflight(
  clusters: readonly string[],
  wishes: Partial<PreflightWishes>,
  { facts, print }: PreflightDeps,
): Promise<0 | 1> {
  let failed = false
  for (const resourceId of clusters) {
    const read = await facts(resourceId)
    if (!read.ok) {
      failed = true
      print(`FAIL  ${read.error.code}   ${read.error.message}`)
      continue
    }
    const [, , own = ''] = resourceId.split('/')
    const findings = preflight(read.value, { network: wishes.network ?? 'public', subscriptionId: wishes.subscriptionId ?? own })
    failed ||= findings.some(({ severity }) => severity === 'fail')
    if (findings.length === 0) print(`ok    ${summary(read.value)}`)
    for (const finding of findings) print(line(finding))
  }
  return failed ? 1 : 0
}

function line({ severity, code, message, remedy, object }: Finding): string {
  return `${severity === 'fail' ? 'FAIL' : 'warn'}  ${code}   ${object.split('/').at(-1)}: ${message}; ${remedy}`
}

/** `shop: Kubernetes 1.34.2, azure overlay with cilium, Entra, OIDC issuer, workload identity`. */
function summary({ resourceId, kubernetesVersion, network }: ClusterFacts): string {
  const kind = [network.plugin, network.pluginMode].filter((word) => word !== '').join(' ')
  return `${resourceId.split('/').at(-1)}: Kubernetes ${kubernetesVersion}, ${kind} with ${network.dataplane}, Entra, OIDC issuer, workload identity`
}
