const IDLE_PERCENT = 5;

/**
 * For people: "GB10, 5 W, 38 °C, idle". `csv` is a line of
 * `nvidia-smi --query-gpu=name,driver_version,power.draw,temperature.gpu,utilization.gpu --format=csv,noheader,nounits`;
 * what the GPU can't tell ([N/A]) is left out.
 */
export function gpuText(csv: string): string {
  const [name = '', , , temperature, busy] = csv.split(',').map((field) => field.trim());
  const [degrees, percent] = [temperature, busy].map(numberIn);
  const watts = gpuWatts(csv);
  return [
    name.replace(/^NVIDIA /, ''),
    ...(watts === undefined ? [] : [`${Math.round(watts)} W`]),
    ...(degrees === undefined ? [] : [`${Math.round(degrees)} °C`]),
    ...(percent === undefined ? [] : [percent < IDLE_PERCENT ? 'idle' : `${Math.round(percent)} % busy`]),
  ].join(', ');
}

/** What it draws, from such a line. Undefined: it can't tell. */
export function gpuWatts(csv: string): number | undefined {
  return numberIn(csv.split(',')[2]?.trim());
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d/.test(text) ? Number.parseFloat(text) : undefined;
}
