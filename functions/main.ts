import { enableCompileCache } from 'node:module'
import { limitHeapGrowth } from './heap.ts'

// With the compile cache, a worker that starts again on the same machine loads the code that V8 compiled before, which halves the time to ready. The
// cache must be on before the first large import, so the imports below are dynamic. The host waits for them.
enableCompileCache()
limitHeapGrowth()
const { givenConfig } = await import('./givenConfig.ts')
if (givenConfig.ok) await import('./start.ts')
else (await import('./refuseToStart.ts')).refuseToStart(givenConfig.error)
