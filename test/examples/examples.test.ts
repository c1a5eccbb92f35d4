import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withServer } from '../../local/kubernetes/testing/withServer.ts'
import { collectionPath, type Manifest, parseManifests } from '../../local/manifests.ts'
import { decideProvisioning } from '../../shared/engine/scheduling/decideProvisioning.ts'
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
  'spot-and-on-demand.yaml': { machines: ['on-demand on-demand for 2', 'spot spot for 4'], waiting: [] },
  'taints.yaml': { machines: ['team-a for 3'], waiting: ['SCHEDULING.TAINT'] },
  'three-zones.yaml': { machines: ['default eastus-1 for 2', 'default eastus-2 for 2', 'default eastus-3 for 2'], waiting: [] },
}
const LABELS: { readonly [file: string]: string } = {
  'gpu.yaml': 'karpenter.azure.com/sku-family',
  'spot-and-on-demand.yaml': LABEL.capacityType,
  'three-zones.yaml': LABEL.zone,
}

describe('the examples', () => {
  it('are all listed here', () => {
    expect(readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'))).toEqual(Object.keys(WANT).sort())
  })

  it.each(Object.entries(WANT))('%s is taken by the API server, and planned to what it says', async (file, want) => {
    const objects = await applied(join(EXAMPLES, file))
    const snapshot = planned(objects)
    const decision = decideProvisioning(snapshot)
    expect(machinesOf(decision, LABELS[file])).toEqual(want.machines)
    expect(decision.reasons.flatMap(({ per = [] }) => per.map(({ code }) => code))).toEqual(want.waiting)
  })
})

/** The objects of the file as an API server with Joiner's definitions stores them. */
async function applied(file: string): Promise<readonly Manifest[]> {
  const stored: Manifest[] = []
  await withServer({}, async ({ call }) => {
    const definitions = readdirSync(DEFINITIONS).filter((name) => name.endsWith('.yaml'))
    for (const name of definitions) {
      for (const each of parseManifests(readFileSync(join(DEFINITIONS, name), 'utf8'))) await call('POST', collectionPath(each), each)
    }
    for (const each of parseManifests(readFileSync(file, 'utf8'))) {
      const answer = await call('POST', `${collectionPath(each)}?fieldValidation=Strict`, each)
      expect(answer, `${file}: ${each.kind} ${each.metadata.name}`).toMatchObject({ code: 201 })
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
    const { draft, pods } = action
    const values = draft.spec.requirements.find(({ key }) => key === label)?.values ?? []
    const machine = [draft.labels[LABEL.nodePool], ...values].join(' ')
    if (pods.length === 0) room.push(`${machine} keeps ${draft.spec.requests['cpu']}m cpu`)
    else counts.set(machine, (counts.get(machine) ?? 0) + pods.length)
  }
  return [...[...counts].map(([machine, count]) => `${machine} for ${count}`), ...room].sort()
}
