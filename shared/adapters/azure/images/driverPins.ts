/** The name of a driver container of AKS after `aks-gpu-`, its driver, and the rest of its tag. */
export type DriverPin = { readonly kind: string; readonly version: string; readonly imageSuffix: string }
type Pins = { readonly cuda: DriverPin; readonly grid: DriverPin; readonly 'grid-v20': DriverPin | undefined }

/** Drivers that a size may need. */
export type DriverNeed = keyof Pins

type PinRow = {
  /** The day of the change, as `yyyymmdd`. Images of later days have it. */
  readonly changed: number
  readonly pins: Pins
}

const pin = (kind: string, tag: string): DriverPin => {
  const [version = '', imageSuffix = ''] = tag.split('-')
  return { kind, version, imageSuffix }
}
const row = (changed: number, cuda: DriverPin, grid: string, gridV20?: string): PinRow => ({
  changed,
  pins: { cuda, grid: pin('grid', grid), 'grid-v20': gridV20 === undefined ? undefined : pin('grid-v20', gridV20) },
})

/**
 * The driver containers that node images are built with, newest first. An image holds its own container and installs it without a registry. With the
 * tag of another image, a machine pulls more than a gigabyte in the fifteen minutes that its scripts have.
 * (Azure/AgentBaker, history of GPUContainerImages in parts/common/components.json, and configGPUDrivers of cse_config.sh, 2026-08-21.)
 */
const ROWS: readonly PinRow[] = [
  row(20260701, pin('cuda-lts', '580.159.04-20260629214430'), '570.211.01-20260522192315', '595.58.03-20260609172331'),
  row(20260611, pin('cuda', '580.126.09-20260126030251'), '570.211.01-20260522192315', '595.58.03-20260609172331'),
  row(20260527, pin('cuda', '580.126.09-20260126030251'), '570.211.01-20260522192315'),
  row(20260224, pin('cuda', '580.126.09-20260126030251'), '550.144.06-20260126030228'),
  row(20260205, pin('cuda', '580.126.09-20260126030251'), '550.144.06-20260108183226'),
  row(20260204, pin('cuda', '580.105.08-20260108183250'), '550.144.06-20260108183226'),
  row(20260109, pin('cuda', '580.95.05-20260108182831'), '550.144.06-20260108183226'),
  row(20251028, pin('cuda', '580.95.05-20251021155213'), '550.144.06-20251021155159'),
]

/** The oldest day whose images have a row. */
export const OLDEST_PINNED = ROWS.reduce((oldest, { changed }) => Math.min(oldest, changed), Number.POSITIVE_INFINITY)

/**
 * The driver container for a node on an image. Undefined if the image is older than the rows, or had no container for the need. An image whose version
 * is no date is somebody's own: it gets the newest container, which its scripts pull if they do not have it.
 */
export function driverPin(need: DriverNeed, imageId: string): DriverPin | undefined {
  const day = builtOn(imageId)
  return ROWS.find(({ changed }) => day === undefined || changed < day)?.pins[need]
}

/** The day in a version of AKS, `202606.29.0`. */
function builtOn(imageId: string): number | undefined {
  const [, month, day] = /\/versions\/(20\d{4})\.(\d{2})\.\d+$/i.exec(imageId) ?? []
  return month === undefined || day === undefined ? undefined : Number(`${month}${day}`)
}
