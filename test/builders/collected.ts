import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** V8 may hold an object until it has finished compiling the code that uses the object. */
const MOST_TURNS = 5

/** Reports whether nothing refers to the object any more. */
export async function isLetGo(object: WeakRef<object>): Promise<boolean> {
  for (let turn = 0; turn < MOST_TURNS && object.deref() !== undefined; turn++) {
    // Reading a weak reference keeps the object alive until the end of the current job.
    await setImmediate()
    collect()
  }
  return object.deref() === undefined
}
