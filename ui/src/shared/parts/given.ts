import { showsTaken } from '../leaving';

type Field = HTMLInputElement | HTMLTextAreaElement;

/**
 * Has a field give what was written in it also when it goes without being left: another view is opened by a key, or its
 * row is scrolled away.
 */
export function given(take: (value: string) => void): (field: Field) => () => void {
  return (field) => {
    let isTaken = true;
    const oninput = () => (isTaken = false);
    const onchange = () => (isTaken = true);
    field.addEventListener('input', oninput);
    field.addEventListener('change', onchange);
    return () => {
      field.removeEventListener('input', oninput);
      field.removeEventListener('change', onchange);
      if (!isTaken && !showsTaken(field)) take(field.value);
    };
  };
}
