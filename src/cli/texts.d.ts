/** A file that ships as it is: the build and the tests import its text. */
declare module '*?raw' {
  const text: string;
  export default text;
}
