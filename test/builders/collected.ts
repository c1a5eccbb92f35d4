import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Whether nothing refers to the object any more. */
export async function isLetGo(object: WeakRef<object>): Promise<boolean> {
  // Who looks at a weak reference keeps it until the job ends.
  await setImmediate()
  collect()
  return object.deref() === undefined
}
