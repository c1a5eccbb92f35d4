import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { member } from '../../cli/armCall.ts'
import type { ClusterAccess } from '../../cli/clusterAccess.ts'
import { kubeconfigOf } from '../../cli/kubeconfigOf.ts'
import { repositoryRoot } from '../../scripts/floors.ts'
import { adoptDefinitions } from './adoptDefinitions.ts'
import { type HookDeps, HookFailure } from './hookDeps.ts'

const LIMIT_MS = 30_000
/**
 * States of releases that an interrupted Helm left: the next Helm refuses to begin. `azd` runs one hook at a time, so no other Helm is at work now.
 */
const UNFINISHED = 'pending-install,pending-upgrade,pending-rollback,uninstalling'

/**
 * Installs or upgrades both charts. Helm reports it if nothing has changed. Only this user can read the file with the token, and it is removed at the
 * end.
 */
export async function installCharts(
  { run, environment, print }: Pick<HookDeps, 'run' | 'environment' | 'print'>,
  access: ClusterAccess,
  { namespace, values }: { readonly namespace: string; readonly values: object },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-charts-'))
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    writeFileSync(kubeconfig, await kubeconfigOf(access), { mode: 0o600 })
    const own = join(folder, 'values.json')
    writeFileSync(own, JSON.stringify(values), { mode: 0o600 })
    const more = join(folder, 'more.json')
    writeFileSync(more, environment['JOINER_CHART_VALUES'] || '{}', { mode: 0o600 })
    for (const line of await adoptDefinitions(access, { name: 'joiner-crd', namespace })) print(line)
    for (const [release, files] of [
      ['joiner-crd', await forcing(run)],
      ['joiner', ['--values', own, '--values', more]],
    ] as const) {
      await removeUnfinished(access, namespace, release)
      const chart = join(repositoryRoot, 'charts', release)
      const args = [
        'upgrade',
        release,
        chart,
        '--install',
        '--namespace',
        namespace,
        '--create-namespace',
        '--kubeconfig',
        kubeconfig,
        ...files,
      ]
      const { code, out, errors } = await run('helm', args)
      if (code === 127) throw new HookFailure('helm is not there: install it from https://helm.sh/docs/intro/install, then run: azd up')
      if (code !== 0) throw new HookFailure(`KUBE.FAILED   helm upgrade ${release} --namespace ${namespace}: ${(errors || out).trim()}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Helm 4 applies on the server, where fields that kubectl or another program wrote stand against it. Helm 3 has no such flag, and needs none. A Helm
 * that is missing is told later.
 */
async function forcing(run: HookDeps['run']): Promise<readonly string[]> {
  const { out } = await run('helm', ['version', '--template', '{{.Version}}'])
  return Number(/v?(\d+)\./.exec(out)?.[1] ?? 0) >= 4 ? ['--force-conflicts'] : []
}

async function removeUnfinished({ call }: ClusterAccess, namespace: string, release: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/secrets`
  const query = { labelSelector: `owner=helm,name=${release},status in (${UNFINISHED})` }
  const listed = await call({ method: 'GET', path, query }, AbortSignal.timeout(LIMIT_MS))
  if (listed.status !== 200)
    throw new HookFailure(
      `KUBE.FAILED   the API server answered ${listed.status} to a list of secrets of namespace ${namespace}: ${String(member(listed.json, 'message'))}; whoever deploys must administer the cluster, for example by the role Azure Kubernetes Service RBAC Cluster Admin`,
    )
  const items = member(listed.json, 'items')
  for (const item of Array.isArray(items) ? items : []) {
    const name = member(member(item, 'metadata'), 'name')
    if (typeof name === 'string') await call({ method: 'DELETE', path: `${path}/${name}` }, AbortSignal.timeout(LIMIT_MS))
  }
}
