// Faults that types do not tell: TypeScript knows which names there are.
export default [
  {
    files: ["**/*.js"],
    languageOptions: { sourceType: "script", ecmaVersion: 2022 },
    rules: {
      "consistent-return": "error",
      "eqeqeq": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-shadow": "error",
      "no-unreachable": "error",
      "no-unused-expressions": "error",
      "no-useless-concat": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
