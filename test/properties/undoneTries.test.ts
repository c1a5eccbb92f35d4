/** A try that is undone must leave no trace, above all not in the counts of neighbours: the tries after it would then break spread rules. */
import { expect, it } from 'vitest'
import { loadPlanning } from '../../shared/engine/scheduling/planningState.ts'
import type { Relocation } from '../../shared/engine/scheduling/relocation/relocation.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { createRandom } from '../agreement/random.ts'
import { justFitting } from '../generators/justFitting.ts'
import { USUAL } from '../generators/randomPods.ts'
import { scaledDown } from '../generators/scaledDown.ts'
import { casesOf, seedsOf } from './cases.ts'

const CASES = casesOf(60)
const TRIES = 40

/** Closes each machine alone, with claims where they are needed, and undoes it. Returns what each try finds. */
function findings(relocation: Relocation, machines: Parameters<Relocation['close']>[0]): readonly unknown[] {
  return machines.map((machine) => {
    const trial = relocation.close([machine])
    const unplaced = trial.unplaced().map(({ key }) => key)
    const isOpened = trial.open(Number.POSITIVE_INFINITY)
    const found = { name: machine.name, unplaced, receiving: [...trial.receivingMachines()], isOpened, bins: trial.bins().length }
    trial.undo()
    return found
  })
}

function relocationOf(given: ClusterSnapshot) {
  const planning = loadPlanning(given.objects)
  const machines = [...planning.fleet(given).all()]
  return { machines, relocation: planning.relocate(given, { machines, places: machines, withHeldPods: [] }) }
}

/** Pods with many rules on few machines: claims that are opened for them are narrowed pod by pod. */
const MANY = { ...USUAL, workloads: 12 }

it.each([
  ['of many workloads that were scaled down', (seed: number) => scaledDown(seed, MANY)],
  ['scaled down', (seed: number) => scaledDown(seed)],
  ['in which pods just fit', justFitting],
] as const)(`tries of ${CASES} clusters %s leave no trace once they are undone`, (_, clusterOf) => {
  for (const seed of seedsOf(CASES)) {
    const given = clusterOf(seed)
    const random = createRandom(seed * 61)
    const [fresh, used] = [relocationOf(given), relocationOf(given)]
    for (let n = 0; n < TRIES; n++) {
      const trial = used.relocation.close(random.some(used.machines, 0.4), { afterAll: random.chance(0.5) })
      trial.open(Number.POSITIVE_INFINITY)
      trial.unbound()
      trial.undo()
    }
    expect(findings(used.relocation, used.machines), `seed ${seed}`).toEqual(findings(fresh.relocation, fresh.machines))
  }
})
