import { enableCompileCache } from 'node:module'
import { limitHeapGrowth } from './heap.ts'

// With the compile cache, a worker that starts again on the same machine loads the code that V8 compiled before, which halves the time to ready. The
// cache must be on before the first large import, so the import below is dynamic. The host waits for it.
enableCompileCache()
limitHeapGrowth()
await import('./start.ts')
