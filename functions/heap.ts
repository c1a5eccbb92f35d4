import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 collect garbage once the heap has grown by half. By default, V8 lets a small heap grow to four times the size of what is in use. A burst of
 * 1,000 pods takes 100 MiB less with half, and the collections cost no time that can be measured. As an argument of the worker, the flag would cost
 * the process that Azure keeps prepared.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50')
}
