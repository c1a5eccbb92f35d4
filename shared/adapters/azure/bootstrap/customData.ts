import { err, ok, type Result } from '../../../base/result.ts'
import { type Problem, problem } from '../../../model/problem.ts'
import { baseProblem, bootProblem } from './bootRules.ts'
import { type BootInput, bootVariables } from './bootVariables.ts'

const WAIT_SECONDS = 1200
const WAIT_FAILED = 100
/** The most bytes of custom data, before base64. Source: osProfile.customData of Virtual Machines - Create Or Update (learn.microsoft.com). */
const MOST_BYTES = 65_535
/**
 * Text that the provisioning script of every image version contains: in its last line `#EOF` until 2025-07-23, and in its here documents since then.
 * (Azure/AgentBaker, parts/linux/cloud-init/artifacts/cse_main.sh, commit 63b9d9b970.)
 */
const WHOLE = 'EOF'

/** Stands for the token in a script that is made and checked before the token is created. It has the form of a token. */
export const STAND_IN_TOKEN = 'standi.ntokenstandintok'

/**
 * The script in base64, with the token of the machine in place of the stand-in. Only the variable of the token is replaced: in no other value follows
 * a quote on an equals sign, since each quote of a value is escaped.
 */
export function customData(script: string, token: string): string {
  const withToken = script.replace(tokenLine(STAND_IN_TOKEN), () => tokenLine(token))
  return Buffer.from(withToken, 'utf8').toString('base64')
}

function tokenLine(token: string): string {
  return `TLS_BOOTSTRAP_TOKEN='${token}'`
}

/**
 * The script that a machine runs at its first boot. It passes our variables to the provisioning scripts of the AKS node image. The same input gives
 * the same text. Returns NODECLASS.INVALID if the shell, systemd or the kubelet could read a value as more than a value.
 */
export function bootScript(input: BootInput): Result<string, Problem> {
  const foreign = baseProblem(input)
  if (foreign !== undefined) return err(foreign)
  const variables = bootVariables(input)
  const broken = bootProblem(input, variables)
  if (broken !== undefined) return err(broken)
  const script = scriptOf(variables)
  const bytes = Buffer.byteLength(script)
  return bytes <= MOST_BYTES ? ok(script) : err(tooLong(input, bytes))
}

/** A stand-in is as long as a token, so the length of the script does not change. */
function tooLong({ claim, nodeClass }: BootInput, bytes: number): Problem {
  const object = `nodeclaim/${claim.name}`
  const rule = `custom data of the machine has ${bytes} bytes, and Azure takes ${MOST_BYTES}; use fewer labels and taints in the nodepool, fewer settings in spec.kubelet and spec.linuxOSConfig of aksnodeclass ${nodeClass.name}, or fewer certificate authorities in the cluster`
  return problem('NODECLASS.INVALID', `${object}: ${rule}`, { object })
}

function scriptOf(variables: ReturnType<typeof bootVariables>): string {
  return `#!/bin/bash
set -o allexport
echo '#EOF' >> /opt/azure/manifest.json
mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events
echo "$(date) node boot on $(hostname)"

waited=0
until grep -Fq '${WHOLE}' /opt/azure/containers/provision.sh 2>/dev/null; do
  if [ "$waited" -ge ${WAIT_SECONDS} ]; then
    echo "/opt/azure/containers/provision.sh was not complete after ${WAIT_SECONDS} seconds"
    exit ${WAIT_FAILED}
  fi
  sleep 1
  waited=$((waited + 1))
done

${variables.map(([name, value]) => `${name}=${quoted(value)}`).join('\n')}

/usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/provision_start.sh"
`
}

/** The value in single quotes, so that the shell does not interpret it. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
