/**
 * `npm run peer-suites`: plays the end-to-end suites of Karpenter against Joiner, on a real control plane and the embedded Azure. Go fetches the suites
 * as a module and builds them; nothing of them is kept in the repository or changed, except the version of Go that their go.mod asks for.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import { CACHE, findBinaries, releaseName } from '../local/controlplane/binaries.ts'
import { startControlPlane } from '../local/controlplane/startControlPlane.ts'
import { buildBundles } from '../local/stack/buildBundles.ts'
import { createOwnedParts, type OwnedParts } from '../local/stack/ownedParts.ts'
import { startStack } from '../local/stack/startStack.ts'
import { KUBE_YAML } from '../shared/wire/kube/kubeYaml.ts'
import { repositoryRoot } from './floors.ts'
import { builtSuite, FOLDER, VERSION } from './peerProgram.ts'
import { peerLines, readPeerReport } from './peerReport.ts'

/** Machines boot so many times as fast as in Azure. */
const SPEED = 40

const CLASS_GROUP = 'karpenter.azure.com'
const NODE_CLASS = {
  apiVersion: `${CLASS_GROUP}/v1beta1`,
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu2204' },
}
const only = (key: string, ...values: readonly string[]): object => ({ key, operator: 'In', values })
const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] },
    template: {
      spec: {
        expireAfter: 'Never',
        nodeClassRef: { group: CLASS_GROUP, kind: 'AKSNodeClass', name: 'default' },
        requirements: [
          only('kubernetes.io/os', 'linux'),
          only('kubernetes.io/arch', 'amd64'),
          only('karpenter.sh/capacity-type', 'on-demand'),
          only(`${CLASS_GROUP}/sku-family`, 'D'),
        ],
      },
    },
  },
}

const options = new Command('npm run peer-suites --')
  .description(`Plays the end-to-end suites of Karpenter ${VERSION} against Joiner on the loopback address.`)
  .addOption(new Option('--suite <name>', 'the suite to play').choices(['regression', 'disruption']).default('regression'))
  .option('--focus <regexp>', 'only the specs whose names match', '')
  .option('--skip <regexp>', 'not the specs whose names match', '')
  .option('--previous', 'on the Kubernetes before the newest')
  .option('--repair-condition <condition>', 'the node condition that specs of repair set, as Type=Status/Reason')
  .option('--reboot-condition <condition>', 'the node condition that specs of reboot set')
  .option('--timeout <duration>', 'the longest run of the suite, as Go writes it', '3h')
  .option('--set <name=value>', 'a setting of the function app; may be given again', (value, all: readonly string[]) => [...all, value], [])
  .parse()
  .opts<{
    readonly suite: string
    readonly focus: string
    readonly skip: string
    readonly previous?: true
    readonly repairCondition?: string
    readonly rebootCondition?: string
    readonly timeout: string
    readonly set: readonly string[]
  }>()

const say = (line: string): void => console.log(line)
const parts = createOwnedParts()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void parts.close().then(() => process.exit(1)))
try {
  process.exitCode = await play(parts)
} finally {
  await parts.close()
}

async function play(owner: OwnedParts): Promise<number> {
  const program = builtSuite(options.suite, say)
  const directory = mkdtempSync(join(FOLDER, 'run-'))
  const report = join(FOLDER, `${options.suite}.json`)
  rmSync(report, { force: true })
  await owner.own(() => rmSync(directory, { recursive: true, force: true }))
  const kubeconfig = await startWorld(owner, directory)
  const code = await run(program, kubeconfig, [...suiteFlags(directory), `--ginkgo.json-report=${report}`])
  if (!existsSync(report)) throw new Error(`the suite ended with ${code} and wrote no report`)
  const outcome = readPeerReport(JSON.parse(readFileSync(report, 'utf8')))
  for (const line of peerLines(options.suite, outcome)) say(line)
  return outcome.failed.length === 0 ? 0 : 1
}

async function startWorld(owner: OwnedParts, directory: string): Promise<string> {
  const release = { release: options.previous === true ? 'previous' : 'newest', assets: process.env['KUBEBUILDER_ASSETS'] } as const
  const binaries = await findBinaries({ ...release, cache: CACHE, say })
  await buildBundles(repositoryRoot)
  const plane = await startControlPlane({ binaries, folder: join(directory, 'plane') })
  await owner.own(() => plane.close())
  const log: string[] = []
  const stack = await startStack({
    speed: SPEED,
    directory: join(directory, 'stack'),
    kubeconfig: plane.kubeconfigFile,
    kubernetesPort: 0,
    functionsPort: 0,
    appSettings: Object.fromEntries(options.set.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)])),
    onAppLine: (line) => log.push(line),
    onShimLine: (line) => log.push(line),
    onNotice: say,
  })
  await owner.own(() => stack.close())
  await owner.own(() => writeFileSync(join(FOLDER, `${options.suite}.log`), log.join('\n')))
  say(`Joiner runs on Kubernetes ${releaseName(release)}`)
  return plane.kubeconfigFile
}

function suiteFlags(directory: string): readonly string[] {
  const file = (name: string, content: object): string => {
    writeFileSync(join(directory, name), stringify(content, KUBE_YAML))
    return join(directory, name)
  }
  return [
    `--default-nodeclass=${file('nodeclass.yaml', NODE_CLASS)}`,
    `--default-nodepool=${file('nodepool.yaml', NODE_POOL)}`,
    `--ginkgo.timeout=${options.timeout}`,
    '--test.timeout=0',
    '--ginkgo.v',
    `--ginkgo.focus=${options.focus}`,
    `--ginkgo.skip=${options.skip}`,
    ...(options.repairCondition === undefined ? [] : [`--repair-condition=${options.repairCondition}`]),
    ...(options.rebootCondition === undefined ? [] : [`--reboot-condition=${options.rebootCondition}`]),
  ]
}

function run(program: string, kubeconfig: string, flags: readonly string[]): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const suite = spawn(program, flags, {
    cwd: FOLDER,
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  suite.once('exit', resolve).once('error', reject)
  return promise
}
