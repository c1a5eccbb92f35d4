import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** The engine of the runtime may hold what it compiles for, until that is done. */
const MOST_TURNS = 5

/** Whether nothing refers to the object any more. */
export async function isLetGo(object: WeakRef<object>): Promise<boolean> {
  for (let turn = 0; turn < MOST_TURNS && object.deref() !== undefined; turn++) {
    // Who looks at a weak reference keeps it until the job ends.
    await setImmediate()
    collect()
  }
  return object.deref() === undefined
}
