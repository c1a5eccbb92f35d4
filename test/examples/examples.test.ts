import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withServer } from '../../local/kubernetes/testing/withServer.ts'
import { collectionPath, type Manifest, parseManifests } from '../../local/manifests.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/planningState.ts'
import type { Decision } from '../../shared/model/decision.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { planned } from './planned.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const EXAMPLES = join(ROOT, 'examples')
const DEFINITIONS = join(ROOT, 'charts', 'joiner-crd', 'templates')

/** The result that the comment of each example promises: machines by pool and by the label that matters, and the codes of pods that stay pending. */
const WANT: { readonly [file: string]: { readonly machines: readonly string[]; readonly waiting: readonly string[] } } = {
  'buffer.yaml': { machines: ['default keeps 3000m cpu'], waiting: [] },
  'gpu.yaml': { machines: ['gpu N for 2'], waiting: [] },
  'local-dns.yaml': { machines: ['default Standard_D4ads_v6 for 2'], waiting: [] },
  quickstart: { machines: ['default spot for 5'], waiting: [] },
  'spot-and-on-demand.yaml': { machines: ['on-demand on-demand for 2', 'spot spot for 4'], waiting: [] },
  'taints.yaml': { machines: ['team-a for 3'], waiting: ['SCHEDULING.TAINT'] },
  'three-zones.yaml': { machines: ['default eastus-1 for 2', 'default eastus-2 for 2', 'default eastus-3 for 2'], waiting: [] },
}
const LABELS: { readonly [file: string]: string } = {
  quickstart: LABEL.capacityType,
  'gpu.yaml': 'karpenter.azure.com/sku-family',
  'local-dns.yaml': LABEL.instanceType,
  'spot-and-on-demand.yaml': LABEL.capacityType,
  'three-zones.yaml': LABEL.zone,
}

/** A folder of YAML files is one example. */
const filesOf = (example: string): readonly string[] => {
  const path = join(EXAMPLES, example)
  return example.endsWith('.yaml') ? [path] : readdirSync(path).map((name) => join(path, name))
}
const manifestsOf = (example: string): readonly Manifest[] => filesOf(example).flatMap((file) => parseManifests(readFileSync(file, 'utf8')))

describe('the examples', () => {
  it('are all listed here', () => {
    const isExample = (name: string): boolean => name.endsWith('.yaml') || name === 'quickstart'
    expect(readdirSync(EXAMPLES).filter(isExample)).toEqual(Object.keys(WANT).sort())
  })

  it.each(Object.keys(WANT))('%s says its result in its header', (example) => {
    const headers = filesOf(example).map((file) => /^(?:#.*\n)+/.exec(readFileSync(file, 'utf8'))?.[0] ?? '')
    expect(headers.filter((header) => header === '')).toEqual([])
    expect(headers.filter((header) => /^# Result(, with [\w.]+)?: ./m.test(header))).toHaveLength(1)
  })

  it.each(Object.keys(WANT))('%s sets the architecture, and moves at most a tenth of the nodes at a time', (example) => {
    const pools = manifestsOf(example).filter(isPool)
    expect(pools).not.toEqual([])
    for (const { spec } of pools) {
      expect(spec.template.spec.requirements).toContainEqual(expect.objectContaining({ key: LABEL.arch, operator: 'In' }))
      // Without budgets, the default of 10 % holds.
      expect((spec.disruption?.budgets ?? []).filter(({ nodes }) => nodes !== '10%')).toEqual([])
    }
  })

  it.each(Object.keys(WANT))('%s gives each Deployment machines that no pod of another Deployment can use', (example) => {
    const manifests = manifestsOf(example)
    const deployments = manifests.filter(isDeployment)
    const pools = manifests.filter(isPool)
    const usable = deployments.map((deployment) => pools.filter((pool) => mayUse(deployment, pool)).map(({ metadata }) => metadata.name))
    const several = usable.flat().filter((name, index, all) => all.indexOf(name) !== index)
    expect(several, 'NodePools that pods of several Deployments can use: which machine a pod gets depends on the order of arrival').toEqual(
      [],
    )
  })

  it.each(Object.entries(WANT))('%s is taken by the API server, and planned to what it says', async (file, want) => {
    const objects = await applied(file)
    const snapshot = planned(objects)
    const decision = decideProvisioning(snapshot)
    expect(machinesOf(decision, LABELS[file])).toEqual(want.machines)
    expect(decision.reasons.flatMap(({ per = [] }) => per.map(({ code }) => code))).toEqual(want.waiting)
  })
})

type Pool = Manifest & {
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: { readonly [key: string]: string } }
      readonly spec: {
        readonly taints?: readonly { readonly key: string }[]
        readonly requirements: readonly { readonly key: string; readonly values?: readonly string[] }[]
      }
    }
    readonly disruption?: { readonly budgets?: readonly { readonly nodes: string }[] }
  }
}
type Deployment = Manifest & {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly nodeSelector?: { readonly [key: string]: string }
        readonly tolerations?: readonly { readonly key: string }[]
      }
    }
  }
}

const isPool = (manifest: Manifest): manifest is Pool => manifest.kind === 'NodePool'
const isDeployment = (manifest: Manifest): manifest is Deployment => manifest.kind === 'Deployment'

/** Reports whether kube-scheduler may bind pods of the Deployment to a machine of the pool, by selectors and taints. */
function mayUse({ spec: { template } }: Deployment, { spec: pool }: Pool): boolean {
  const { nodeSelector = {}, tolerations = [] } = template.spec
  const { taints = [], requirements } = pool.template.spec
  const labels = pool.template.metadata?.labels ?? {}
  const selects = Object.entries(nodeSelector).every(
    ([key, value]) => labels[key] === value || requirements.some((each) => each.key === key && each.values?.includes(value)),
  )
  return selects && taints.every(({ key }) => tolerations.some((toleration) => toleration.key === key))
}

/** The objects of the example as an API server with Joiner's definitions stores them. */
async function applied(example: string): Promise<readonly Manifest[]> {
  const stored: Manifest[] = []
  await withServer({}, async ({ call }) => {
    const definitions = readdirSync(DEFINITIONS).filter((name) => name.endsWith('.yaml'))
    for (const name of definitions) {
      for (const each of parseManifests(readFileSync(join(DEFINITIONS, name), 'utf8'))) await call('POST', collectionPath(each), each)
    }
    for (const each of manifestsOf(example)) {
      const answer = await call('POST', `${collectionPath(each)}?fieldValidation=Strict`, each)
      expect(answer, `${example}: ${each.kind} ${each.metadata.name}`).toMatchObject({ code: 201 })
      stored.push(answer.body as unknown as Manifest)
    }
  })
  return stored
}

/** Machines by pool and by the value of the label, with the number of their pods. For a buffer, the CPU that the machine keeps free. */
function machinesOf({ actions }: Decision, label: string | undefined): readonly string[] {
  const counts = new Map<string, number>()
  const room: string[] = []
  for (const action of actions) {
    if (action.kind !== 'createClaim') continue
    const { draft, pods, choice } = action
    // A claim may leave the capacity type and the size open. The cheapest offering decides.
    const chosen = new Map<string | undefined, string>([
      [LABEL.capacityType, choice.capacityType],
      [LABEL.instanceType, choice.size],
    ])
    const open = chosen.get(label)
    const values = open === undefined ? draft.spec.requirements.find(({ key }) => key === label)?.values : [open]
    const machine = [draft.labels[LABEL.nodePool], ...(values ?? [])].join(' ')
    if (pods.length === 0) room.push(`${machine} keeps ${draft.spec.requests['cpu']}m cpu`)
    else counts.set(machine, (counts.get(machine) ?? 0) + pods.length)
  }
  return [...[...counts].map(([machine, count]) => `${machine} for ${count}`), ...room].sort()
}
