/** Plays one suite of Karpenter, and compares each spec with what is expected of it. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Release } from '../../local/controlplane/binaries.ts'
import { createOwnedParts, type OwnedParts } from '../../local/stack/ownedParts.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import { KUBE_YAML } from '../../shared/wire/kube/kubeYaml.ts'
import { LISTED } from './listed.ts'
import { CONDITION_FLAGS, NODE_CLASS, type PeerPart, SETTINGS, SUITES, type Suite } from './parts.ts'
import { builtSuite, FOLDER } from './program.ts'
import { judged, type PeerSpec, readPeerReport } from './report.ts'
import { startWorld } from './world.ts'

export type PlayOptions = {
  readonly suite: Suite
  /** Regular expressions on the names of specs. The expressions of the parts apply as well. Empty as in PeerPart. */
  readonly focus: string
  readonly skip: string
  readonly release: Release
  readonly say: (line: string) => void
}

/** The longest run of a part. The specs wait in real time. */
const LONGEST = '4h'

/** Prints the outcome. Returns whether each spec did what is expected of it. */
export async function play(owner: OwnedParts, options: PlayOptions): Promise<boolean> {
  const { suite, release, say } = options
  const program = builtSuite(suite, say)
  const world = createOwnedParts()
  await owner.own(() => world.close())
  // It stays, with the output of the specs, and the log of app and forwarder.
  const directory = mkdtempSync(join(FOLDER, `${suite}-`))
  try {
    const { kubeconfig, failed } = await startWorld(world, {
      release,
      settings: SETTINGS,
      directory,
      logFile: join(directory, 'joiner.log'),
      say,
    })
    const specs: PeerSpec[] = []
    for (const part of SUITES[suite]) {
      const report = await Promise.race([failed, playPart(part, { program, kubeconfig, directory, world }, options)])
      for (const spec of readPeerReport(report)) specs.push(spec)
    }
    const { lines, asExpected } = judged(suite, specs, LISTED[suite], options.focus === '' && options.skip === '')
    for (const line of lines) say(line)
    return asExpected
  } finally {
    await world.close()
  }
}

type Run = { readonly program: string; readonly kubeconfig: string; readonly directory: string; readonly world: OwnedParts }

/** Returns the report of the runner. */
async function playPart(
  part: PeerPart,
  { program, kubeconfig, directory, world }: Run,
  { suite, focus, skip, say }: PlayOptions,
): Promise<unknown> {
  const [report, output] = [join(directory, `${part.name}.json`), join(directory, `${part.name}.txt`)]
  const file = (title: string, content: object): string => {
    writeFileSync(join(directory, title), stringify(content, KUBE_YAML))
    return join(directory, title)
  }
  const flags = [
    `--default-nodeclass=${file('nodeclass.yaml', NODE_CLASS)}`,
    `--default-nodepool=${file('nodepool.yaml', part.nodePool)}`,
    `--ginkgo.timeout=${LONGEST}`,
    '--test.timeout=0',
    '--ginkgo.v',
    `--ginkgo.json-report=${report}`,
    ...CONDITION_FLAGS[suite],
    // The runner compares with the names from the outermost container to the spec, one after the other.
    `--ginkgo.focus=${part.focus === '' ? focus : `${part.focus}.*(?:${focus})`}`,
    ...[part.skip, skip].filter((each) => each !== '').map((each) => `--ginkgo.skip=${each}`),
  ]
  say(`${suite}, ${part.name}: the specs begin; their output is in ${output}`)
  const code = await run(program, flags, { kubeconfig, output, world })
  if (existsSync(report)) return JSON.parse(readFileSync(report, 'utf8'))
  throw new Fault(
    'play the specs',
    problem('SETTING.INVALID', `${suite}, ${part.name}: the program ended with ${code} and wrote no report`),
  )
}

async function run(
  program: string,
  flags: readonly string[],
  { kubeconfig, world, ...files }: { readonly kubeconfig: string; readonly output: string; readonly world: OwnedParts },
): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const output = openSync(files.output, 'w')
  const suite = spawn(program, flags, {
    cwd: FOLDER,
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', output, output],
  })
  suite.once('exit', resolve).once('error', reject)
  await world.own(() => suite.kill())
  return promise.finally(() => closeSync(output))
}
