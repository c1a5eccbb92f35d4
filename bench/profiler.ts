// Makes profiles of a program before which it is loaded (`node --import`). SIGUSR2 begins a profile. The next SIGUSR2 ends it and writes it to the
// folder in PROFILE_FOLDER. The developer tools of Chrome open it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { basename, join } from 'node:path'

const SAMPLE_US = 1_000

const folder = process.env['PROFILE_FOLDER'] ?? '.'
const program = basename(process.argv[1] ?? 'node')
let session: Session | undefined

process.on('SIGUSR2', () => {
  if (session === undefined) session = begun()
  else session = ended(session)
})

function begun(): Session {
  const beginning = new Session()
  beginning.connect()
  beginning.post('Profiler.enable')
  beginning.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  beginning.post('Profiler.start')
  return beginning
}

function ended(ending: Session): undefined {
  ending.post('Profiler.stop', (_, { profile }) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${program}-${process.pid}-${Date.now()}.cpuprofile`), JSON.stringify(profile))
    ending.disconnect()
  })
}
