// npm run peer-suites: plays the end-to-end suites of Karpenter against Joiner. The exit code is 1 if a spec differs from what is expected of it.
import { mkdirSync } from 'node:fs'
import { Command, Option } from 'commander'
import { createOwnedParts } from '../../local/stack/ownedParts.ts'
import { isSuite, SUITES } from './parts.ts'
import { play } from './play.ts'
import { FOLDER, VERSION } from './program.ts'

const options = new Command('npm run peer-suites --')
  .description(`Plays the end-to-end suites of Karpenter ${VERSION} against Joiner on the loopback address.`)
  .addOption(new Option('--suite <name>', 'one suite instead of all').choices(Object.keys(SUITES)))
  .option('--focus <regexp>', 'only the specs whose names match', '')
  .option('--skip <regexp>', 'not the specs whose names match', '')
  .option('--previous', 'on the Kubernetes before the newest')
  .parse()
  .opts<{ readonly suite?: string; readonly focus: string; readonly skip: string; readonly previous?: true }>()

mkdirSync(FOLDER, { recursive: true })
const owner = createOwnedParts()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void owner.close().then(() => process.exit(1)))
const release = options.previous === true ? 'previous' : 'newest'
const chosen = { focus: options.focus, skip: options.skip, release, say: (line: string): void => console.log(line) } as const
try {
  for (const suite of Object.keys(SUITES).filter(isSuite)) {
    if (options.suite !== undefined && options.suite !== suite) continue
    if (!(await play(owner, { suite, ...chosen }))) process.exitCode = 1
  }
} finally {
  await owner.close()
}
